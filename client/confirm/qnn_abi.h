// The part of the QNN C interface (core API 2.x, 64-bit Linux) that validates and prepares an operator, as binary
// layouts. The vendor's headers are not needed to build; the library is loaded at run time where the user has it.
#ifndef QUANTGATE_CLIENT_CONFIRM_QNN_ABI_H_
#define QUANTGATE_CLIENT_CONFIRM_QNN_ABI_H_

#include <cstdarg>
#include <cstdint>

namespace quantgate::qnn_abi {

using Handle = void*;
using Error = uint64_t;
inline constexpr Error kErrorMask = 0xffff;  // the rest is set by some SDK versions and says nothing here

enum TensorType : uint32_t { kAppWrite = 0, kAppRead = 1, kNative = 3, kStatic = 4, kNull = 5 };
enum EncodingKind : uint32_t {
  kScaleOffset = 0,
  kAxisScaleOffset = 1,
  kBwScaleOffset = 2,
  kBwAxisScaleOffset = 3,
  kBlock = 4,
  kBlockwiseExpansion = 5,
};
inline constexpr uint32_t kUndefined = 0x7fffffff;
inline constexpr uint32_t kSparse = 1;     // a tensor's format; 0: dense
inline constexpr uint32_t kHybridCoo = 0;  // a sparse tensor's layout
inline constexpr uint32_t kDefined = 1;

// real = scale * (q + offset).
struct ScaleOffset {
  float scale;
  int32_t offset;
};
struct AxisScaleOffset {
  int32_t axis;
  uint32_t count;
  const ScaleOffset* entries;
};
struct BwScaleOffset {
  uint32_t bits;
  float scale;
  int32_t offset;
};
struct BwAxisScaleOffset {
  uint32_t bits;
  int32_t axis;
  uint32_t count;
  const float* scales;
  const int32_t* offsets;
};
struct BlockEncoding {
  const uint32_t* block_size;  // one per dimension
  const ScaleOffset* entries;
};
struct BlockwiseExpansion {
  int32_t axis;
  const ScaleOffset* entries;
  uint32_t blocks_per_axis;
  uint32_t block_scale_bits;
  uint32_t block_scale_storage;  // 0: eight bits
  const uint8_t* block_scales;
};
struct QuantizeParams {
  uint32_t definition;
  uint32_t encoding;
  union {
    ScaleOffset scale_offset;
    AxisScaleOffset axis_scale_offset;
    BwScaleOffset bw_scale_offset;
    BwAxisScaleOffset bw_axis_scale_offset;
    BlockEncoding block;
    const BlockwiseExpansion* expansion;
  };
};

// Coordinates of the elements that are given; dense along the dimensions after the sparse ones.
struct SparseParams {
  uint32_t layout;
  uint32_t elements;
  uint32_t dimensions;
};

// Filled as version 1 of the structure unless it is sparse; as long as version 2, which some functions copy.
struct Tensor {
  uint32_t version;
  uint32_t padding;
  uint32_t id;
  const char* name;
  uint32_t type;
  uint32_t format;
  uint32_t dtype;
  QuantizeParams quantize;
  uint32_t rank;
  const uint32_t* dims;
  uint32_t memory;  // 0: raw, `data`
  const void* data;
  uint32_t data_size;
  const uint8_t* dynamic_dims;
  SparseParams sparse;
  uint8_t produced;
};

struct Scalar {
  uint32_t dtype;
  union {
    float real;
    uint32_t u32;
    int32_t i32;
    uint64_t u64;  // the widest: the union's size
  };
};
struct Param {
  uint32_t kind;  // 0: scalar, 1: tensor
  const char* name;
  union {
    Scalar scalar;
    Tensor tensor;
  };
};
struct OpConfig {
  uint32_t version;
  const char* name;
  const char* package;
  const char* type;
  uint32_t num_params;
  const Param* params;
  uint32_t num_inputs;
  const Tensor* inputs;
  uint32_t num_outputs;
  Tensor* outputs;
};

// Null-terminated lists of these configure devices.
struct Config {
  uint32_t option;  // 0: custom, `value` is the backend's own structure
  const void* value;
};
// The backend's own structure for HTP devices: a SoC id behind the option 0. Where it is differs: libraries of SDK 2.51
// read it 8 bytes behind the start (a union with pointers), those of 2.49 4 bytes behind it. Both hold it.
struct HtpDeviceConfig {
  uint32_t option;
  uint32_t soc_at_4;
  uint32_t soc_at_8;
  uint32_t unused;
};

static_assert(sizeof(void*) == 8 && sizeof(QuantizeParams) == 40 && sizeof(Tensor) == 144);
static_assert(sizeof(OpConfig) == 80 && sizeof(Scalar) == 16 && sizeof(HtpDeviceConfig) == 16);

using LogCallback = void (*)(const char* format, uint32_t level, uint64_t timestamp, va_list arguments);
inline constexpr uint32_t kLogError = 1;

// One provider of the library: its functions by position. Those without a name here are not used.
struct Interface {
  uint32_t backend_id;
  const char* provider_name;
  uint32_t api_version[6];
  void* property_has_capability;
  Error (*backend_create)(Handle log, const Config* const* configs, Handle* backend);
  void* backend_set_config;
  void* backend_get_api_version;
  Error (*backend_get_build_id)(const char** id);
  void* backend_register_op_package;
  void* backend_get_supported_operations;
  Error (*backend_validate_op_config)(Handle backend, OpConfig op);
  void* backend_free;
  Error (*context_create)(Handle backend, Handle device, const Config* const* configs, Handle* context);
  void* context_others[4];
  Error (*context_free)(Handle context, Handle profile);
  Error (*graph_create)(Handle context, const char* name, const Config* const* configs, Handle* graph);
  void* graph_create_subgraph;
  void* graph_set_config;
  Error (*graph_add_node)(Handle graph, OpConfig op);
  Error (*graph_finalize)(Handle graph, Handle profile, Handle signal);
  void* graph_others[3];
  void* tensor_create_context_tensor;
  Error (*tensor_create_graph_tensor)(Handle graph, Tensor* tensor);
  Error (*log_create)(LogCallback callback, uint32_t max_level, Handle* log);
  void* log_others[2];
  void* profile_others[7];
  void* memory_others[2];
  void* device_platform_info[2];
  void* device_infrastructure;
  Error (*device_create)(Handle log, const Config* const* configs, Handle* device);
};

// "QnnInterface_getProviders", the one symbol that is looked up.
using GetProviders = Error (*)(const Interface* const** providers, uint32_t* count);

}  // namespace quantgate::qnn_abi

#endif  // QUANTGATE_CLIENT_CONFIRM_QNN_ABI_H_
