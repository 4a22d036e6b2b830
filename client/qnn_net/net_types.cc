#include "client/qnn_net/net_types.h"

namespace quantgate::qnn_net {
namespace {

struct Row {
  int64_t number;
  DataType type;
};

// The last two digits are the width, in hexadecimal that reads as decimal.
constexpr Row kTypes[] = {
    {0x0004, {v1::DATA_TYPE_INT4, false}},    {0x0008, {v1::DATA_TYPE_INT8, false}},
    {0x0016, {v1::DATA_TYPE_INT16, false}},   {0x0032, {v1::DATA_TYPE_INT32, false}},
    {0x0064, {v1::DATA_TYPE_INT64, false}},   {0x0104, {v1::DATA_TYPE_UINT4, false}},
    {0x0108, {v1::DATA_TYPE_UINT8, false}},   {0x0116, {v1::DATA_TYPE_UINT16, false}},
    {0x0132, {v1::DATA_TYPE_UINT32, false}},  {0x0164, {v1::DATA_TYPE_UINT64, false}},
    {0x0216, {v1::DATA_TYPE_FLOAT16, false}}, {0x0232, {v1::DATA_TYPE_FLOAT32, false}},
    {0x0264, {v1::DATA_TYPE_FLOAT64, false}}, {0x0304, {v1::DATA_TYPE_INT4, true}},
    {0x0308, {v1::DATA_TYPE_INT8, true}},     {0x0316, {v1::DATA_TYPE_INT16, true}},
    {0x0332, {v1::DATA_TYPE_INT32, true}},    {0x0404, {v1::DATA_TYPE_UINT4, true}},
    {0x0408, {v1::DATA_TYPE_UINT8, true}},    {0x0416, {v1::DATA_TYPE_UINT16, true}},
    {0x0432, {v1::DATA_TYPE_UINT32, true}},   {0x0508, {v1::DATA_TYPE_BOOL, false}},
    {0x0608, {v1::DATA_TYPE_STRING, false}},
};

}  // namespace

DataType DataTypeOf(int64_t number) {
  for (const Row& row : kTypes) {
    if (row.number == number) return row.type;
  }
  return {};
}

}  // namespace quantgate::qnn_net
