#include "tests/mutations/tflite_mutator.h"

#include <cstring>
#include <optional>
#include <vector>

#include "client/tflite/model_generated.h"

namespace quantgate::mutations {
namespace {

// Where things begin in the file.
struct Places {
  std::vector<size_t> tables;
  std::vector<size_t> lists;  // of tables
};

class Collector {
 public:
  explicit Collector(const std::string& file) : start_(reinterpret_cast<const uint8_t*>(file.data())) {}

  Places Collect() {
    const tflite::Model* model = tflite::GetModel(start_);
    AddTable(model);
    AddList(model->operator_codes());
    AddList(model->buffers());
    AddList(model->subgraphs());
    if (model->subgraphs() == nullptr) return places_;
    for (const tflite::SubGraph* graph : *model->subgraphs()) {
      AddList(graph->tensors());
      AddList(graph->operators());
      if (graph->tensors() != nullptr) {
        for (const tflite::Tensor* tensor : *graph->tensors()) AddTable(tensor->quantization());
      }
      if (graph->operators() == nullptr) continue;
      for (const tflite::Operator* op : *graph->operators()) {
        AddTable(op->options());
        AddTable(op->options_2());
      }
    }
    return places_;
  }

 private:
  size_t PlaceOf(const void* part) const { return static_cast<size_t>(static_cast<const uint8_t*>(part) - start_); }
  void AddTable(const void* table) {
    if (table != nullptr) places_.tables.push_back(PlaceOf(table));
  }
  template <typename List>
  void AddList(const List* list) {
    if (list == nullptr) return;
    places_.lists.push_back(PlaceOf(list));
    for (const auto* table : *list) AddTable(table);
  }

  const uint8_t* start_;
  Places places_;
};

// Numbers in the file, which after the first change may be anywhere.
template <typename T>
std::optional<T> Get(const std::string& file, size_t at) {
  if (at > file.size() || file.size() - at < sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, file.data() + at, sizeof(T));
  return value;
}
template <typename T>
void Put(std::string& file, size_t at, T value) {
  if (at > file.size() || file.size() - at < sizeof(T)) return;
  std::memcpy(file.data() + at, &value, sizeof(T));
}

void PutAnything(std::string& file, size_t at, Random& random) {
  switch (random.Below(5)) {
    case 0:
      return Put(file, at, static_cast<int8_t>(random.Integer()));
    case 1:
      return Put(file, at, static_cast<int16_t>(random.Integer()));
    case 2:
      return Put(file, at, random.Integer());
    case 3:
      return Put(file, at, static_cast<float>(random.Real()));
    default:
      return Put(file, at, static_cast<int32_t>(random.Integer()));
  }
}

// `at`: a field that may be the offset of a list: its length, or an element.
void ChangeList(std::string& file, size_t at, Random& random) {
  const std::optional<uint32_t> offset = Get<uint32_t>(file, at);
  if (!offset.has_value()) return;
  const std::optional<uint32_t> length = Get<uint32_t>(file, at + *offset);
  if (!length.has_value()) return PutAnything(file, at, random);
  switch (random.Below(4)) {
    case 0:
      return Put(file, at + *offset, *length + (random.OneIn(2) ? 1U : ~0U));
    case 1:
      return Put(file, at + *offset, static_cast<uint32_t>(random.Integer()));
    default:
      return PutAnything(file, at + *offset + 4 + 4 * random.Below(*length < 4096 ? *length : 4096), random);
  }
}

void ChangeTable(std::string& file, size_t table, Random& random) {
  const std::optional<int32_t> back = Get<int32_t>(file, table);
  if (!back.has_value()) return;
  const size_t fields = static_cast<size_t>(static_cast<int64_t>(table) - *back);
  const std::optional<uint16_t> size = Get<uint16_t>(file, fields);
  if (!size.has_value() || *size < 6) return;
  const auto any = [&] { return fields + 4 + 2 * random.Below((*size - 4U) / 2); };
  size_t field = any();
  for (int i = 0; i < 8 && Get<uint16_t>(file, field).value_or(0) == 0; ++i) field = any();
  const uint16_t place = Get<uint16_t>(file, field).value_or(0);
  switch (random.Below(8)) {
    case 0:  // not stated, in all tables of this form
      return Put(file, field, uint16_t{0});
    case 1:  // another field's bytes
      return Put(file, field, Get<uint16_t>(file, any()).value_or(0));
    case 2:  // an offset that is off
      return Put(file, table + place,
                 Get<uint32_t>(file, table + place).value_or(0) + static_cast<uint32_t>(random.Integer()));
    case 3:
    case 4:
      return PutAnything(file, table + place, random);
    default:
      return ChangeList(file, table + place, random);
  }
}

// Elements are offsets from where they stand.
void ChangeTables(std::string& file, size_t list, Random& random) {
  const uint32_t count = Get<uint32_t>(file, list).value_or(0);
  if (count == 0 || count > file.size()) return;
  const size_t a = list + 4 + 4 * random.Below(count);
  const size_t b = list + 4 + 4 * random.Below(count);
  const size_t last = list + 4 * count;
  const auto target = [&](size_t at) { return static_cast<uint32_t>(at + Get<uint32_t>(file, at).value_or(0)); };
  const auto point = [&](size_t at, uint32_t to) { Put(file, at, to - static_cast<uint32_t>(at)); };
  const uint32_t of_a = target(a);
  const uint32_t of_b = target(b);
  switch (random.Below(3)) {
    case 0:  // swapped
      point(a, of_b);
      return point(b, of_a);
    case 1:  // doubled
      return point(a, of_b);
    default:  // dropped; the last one takes its place
      point(a, target(last));
      return Put(file, list, count - 1);
  }
}

}  // namespace

std::string MutateTflite(std::string file, int changes, Random& random) {
  const Places places = Collector(file).Collect();
  for (int i = 0; i < changes; ++i) {
    const size_t kind = random.Below(20);
    if (kind == 0) {
      file.resize(random.Below(file.size()));
    } else if (kind == 1) {
      PutAnything(file, random.Below(file.size()), random);
    } else if (kind < 6) {
      ChangeTables(file, places.lists[random.Below(places.lists.size())], random);
    } else {
      ChangeTable(file, places.tables[random.Below(places.tables.size())], random);
    }
  }
  return file;
}

}  // namespace quantgate::mutations
