#include "rules/simulator/kernels/byte_products.h"

// The target whose processors multiply four bytes at a time without saturation (AVX512-VNNI).
#define HWY_WANT_AVX3_DL 1
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "rules/simulator/kernels/byte_products.cc"
#include <hwy/foreach_target.h>
// After foreach_target.
#include <hwy/highway.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "rules/simulator/float/vectors-inl.h"

HWY_BEFORE_NAMESPACE();
#if HWY_TARGET == HWY_AVX3_DL
// Highway 1.0 does not name it for this target.
HWY_PUSH_ATTRIBUTES("avx512vnni")
#endif
namespace quantgate::simulator::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::CappedTag<float, 16>;
using Sums = hn::RebindToSigned<Floats>;
using Words = hn::RebindToUnsigned<Floats>;
using Halves = hn::Repartition<int16_t, Sums>;
using Bytes = hn::Rebind<uint8_t, Floats>;
using Sum = hn::Vec<Sums>;
using Word = hn::Vec<Words>;
constexpr int64_t kLanes = hn::MaxLanes(Floats());

// Four bytes in each word, prepared for products.
#if HWY_TARGET == HWY_AVX3_DL
struct Unsigned4 {
  explicit Unsigned4(Word word) : word(word) {}
  Word word;
};
struct Signed4 {
  explicit Signed4(Word word) : word(word) {}
  Word word;
};
HWY_INLINE Sum AddProducts(Sum sum, const Unsigned4& x, const Signed4& w) {
  // _mm512_dpbusd_epi32, around which GCC 12 copies the sums of a loop from register to register, and to memory.
  asm("vpdpbusd %2, %1, %0" : "+v"(sum.raw) : "v"(x.word.raw), "v"(w.word.raw));
  return sum;
}
#elif HWY_ARCH_X86 && HWY_TARGET != HWY_EMU128 && HWY_TARGET != HWY_SCALAR
// In halves of 16 bits: a sum of two products of a byte each cannot leave 32 bits, and nothing saturates.
struct Unsigned4 {
  explicit Unsigned4(Word word)
      : even(hn::BitCast(Halves(), hn::And(word, hn::Set(Words(), 0x00FF00FFu)))),
        odd(hn::BitCast(Halves(), hn::And(hn::ShiftRight<8>(word), hn::Set(Words(), 0x00FF00FFu)))) {}
  hn::Vec<Halves> even, odd;
};
struct Signed4 {
  explicit Signed4(Word word)
      : even(hn::ShiftRight<8>(hn::ShiftLeft<8>(hn::BitCast(Halves(), word)))),
        odd(hn::ShiftRight<8>(hn::BitCast(Halves(), word))) {}
  hn::Vec<Halves> even, odd;
};
HWY_INLINE Sum AddProducts(Sum sum, const Unsigned4& x, const Signed4& w) {
  Sum unused = hn::Zero(Sums());  // x86 adds both products of a word to the first sum
  sum = hn::ReorderWidenMulAccumulate(Sums(), x.even, w.even, sum, unused);
  return hn::ReorderWidenMulAccumulate(Sums(), x.odd, w.odd, sum, unused);
}
#else
struct Unsigned4 {
  explicit Unsigned4(Word word) : word(word) {}
  template <int kByte>
  Sum at() const {
    return hn::BitCast(Sums(), hn::And(hn::ShiftRight<8 * kByte>(word), hn::Set(Words(), 0xFFu)));
  }
  Word word;
};
struct Signed4 {
  explicit Signed4(Word word) : word(hn::BitCast(Sums(), word)) {}
  template <int kByte>
  Sum at() const {
    return hn::ShiftRight<24>(hn::ShiftLeft<24 - 8 * kByte>(word));
  }
  Sum word;
};
HWY_INLINE Sum AddProducts(Sum sum, const Unsigned4& x, const Signed4& w) {
  sum = hn::Add(sum, hn::Mul(x.at<0>(), w.at<0>()));
  sum = hn::Add(sum, hn::Mul(x.at<1>(), w.at<1>()));
  sum = hn::Add(sum, hn::Mul(x.at<2>(), w.at<2>()));
  return hn::Add(sum, hn::Mul(x.at<3>(), w.at<3>()));
}
#endif

// Those of vector `v` in bits of the elements of some vectors.
HWY_INLINE hn::Mask<Sums> MaskOf(uint64_t there, int64_t v) {
  const uint64_t bits = there >> (v * kLanes);
  uint8_t bytes[sizeof(bits)];
  std::memcpy(bytes, &bits, sizeof(bits));
  return hn::LoadMaskBits(Sums(), bytes);
}

// The range of the sums of columns that are there.
class Range {
 public:
  // Not a default initializer: compilers give that no target.
  Range() : least_(hn::Zero(Sums())), most_(hn::Zero(Sums())) {}
  HWY_INLINE void Add(Sum sum) {
    least_ = hn::Min(least_, sum);
    most_ = hn::Max(most_, sum);
  }
  void Widen(SumRange* range) const {
    range->least = std::min(range->least, hn::GetLane(hn::MinOfLanes(Sums(), least_)));
    range->most = std::max(range->most, hn::GetLane(hn::MaxOfLanes(Sums(), most_)));
  }

 private:
  Sum least_, most_;
};

constexpr float kRound = 12582912;  // 1.5 * 2^23

// The squares of results and of their errors in parts: those of column c of a panel in part c, of position i of a run
// in part i % kRunParts, one row or run after the other, whatever a vector holds.
constexpr int64_t kErrorParts = kPanelColumns, kRunParts = 16;
// Stored: all parts of the results, and then as many of the errors.
template <int kVectors>
struct Squares {
  HWY_INLINE Squares() {
    for (int v = 0; v < kVectors; ++v) signal[v] = noise[v] = hn::Zero(Floats());
  }
  // Parts from that of the first vector on.
  HWY_INLINE explicit Squares(const float* from) {
    for (int v = 0; v < kVectors; ++v) {
      signal[v] = hn::LoadU(Floats(), from + v * kLanes);
      noise[v] = hn::LoadU(Floats(), from + kErrorParts + v * kLanes);
    }
  }
  HWY_INLINE void Store(float* to) const {
    for (int v = 0; v < kVectors; ++v) {
      hn::StoreU(signal[v], Floats(), to + v * kLanes);
      hn::StoreU(noise[v], Floats(), to + kErrorParts + v * kLanes);
    }
  }

  hn::Vec<Floats> signal[kVectors], noise[kVectors];
};

// The sum of parts: part i in double i % 8, and then these.
double SumOfParts(const float* parts, int64_t count) {
  const hn::CappedTag<double, 8> d;
  const hn::Rebind<float, decltype(d)> halves;
  constexpr int64_t kSome = hn::MaxLanes(d);
  alignas(64) double sums[8] = {};
  for (int64_t i = 0; i < count; i += kSome) {
    double* const to = sums + i % 8;
    hn::Store(hn::Add(hn::Load(d, to), hn::PromoteTo(d, hn::LoadU(halves, parts + i))), d, to);
  }
  double sum = 0;
  for (const double part : sums) sum += part;
  return sum;
}
void AddSquares(const float* squares, int64_t parts, StepErrors& errors) {
  errors.signal += SumOfParts(squares, parts);
  errors.noise += SumOfParts(squares + kErrorParts, parts);
}

// The low byte of each word.
HWY_INLINE hn::Vec<Bytes> LowBytes(Word words) {
#if HWY_TARGET == HWY_AVX3_DL
  return hn::Vec<Bytes>{_mm512_cvtepi32_epi8(words.raw)};  // TruncateTo of Highway 1.0.3 takes other bytes here
#else
  return hn::TruncateTo(Bytes(), words);
#endif
}

// Copies the elements that have a bit, one after the other.
template <typename T>
HWY_INLINE void CopyThere(const T* from, uint64_t there, T* to) {
  while (there != 0) {
    const int first = static_cast<int>(hwy::Num0BitsBelowLS1Bit_Nonzero64(there));
    const uint64_t rest = ~(there >> first);  // its last ones are zeros now
    const int count = rest == 0 ? 64 : static_cast<int>(hwy::Num0BitsBelowLS1Bit_Nonzero64(rest));
    std::memcpy(to, from + first, static_cast<size_t>(count) * sizeof(T));
    to += count;
    there = first + count >= 64 ? 0 : there >> (first + count) << (first + count);
  }
}

// The low bytes of the words of some vectors that are there, one after the other. Nothing else is written.
template <int kVectors, bool kWhole>
HWY_INLINE void StoreLowBytes(const Word (&words)[kVectors], uint8_t add, uint64_t there, uint8_t* out) {
#if HWY_TARGET == HWY_AVX3_DL
  if constexpr (kVectors == 4) {
    alignas(64) static constexpr uint8_t kLow[64] = {0,  4,  8,  12,  16,  20,  24,  28,  32,  36, 40,
                                                     44, 48, 52, 56,  60,  64,  68,  72,  76,  80, 84,
                                                     88, 92, 96, 100, 104, 108, 112, 116, 120, 124};
    const hn::CappedTag<uint8_t, 64> d;
    const __m512i low = hn::Load(d, kLow).raw;
    const __m512i halves[2] = {_mm512_permutex2var_epi8(words[0].raw, low, words[1].raw),
                               _mm512_permutex2var_epi8(words[2].raw, low, words[3].raw)};
    const hn::Vec<decltype(d)> all{_mm512_inserti64x4(halves[0], _mm512_castsi512_si256(halves[1]), 1)};
    const auto bytes = hn::Add(all, hn::Set(d, add));
    if constexpr (kWhole) {
      hn::StoreU(bytes, d, out);
    } else {
      const hn::Vec<decltype(d)> packed{_mm512_maskz_compress_epi8(there, bytes.raw)};
      hn::BlendedStore(packed, hn::FirstN(d, hwy::PopCount(there)), d, out);
    }
    return;
  }
#endif
  const auto added = hn::Set(Bytes(), add);
  alignas(64) uint8_t some[64];
  for (int v = 0; v < kVectors; ++v) {
    hn::StoreU(hn::Add(LowBytes(words[v]), added), Bytes(), (kWhole ? out : some) + v * kLanes);
  }
  if (!kWhole) CopyThere(some, there, out);
}

// What becomes of sums where they become bytes, and what is noted of them. CMakeLists.txt keeps compilers from fusing
// products and sums.
class ToBytes {
 public:
  using Element = uint8_t;

  ToBytes(const ByteRescale& rescale, const StepErrors& errors)
      : low_(hn::Set(Floats(), static_cast<float>(rescale.low))),
        high_(hn::Set(Floats(), static_cast<float>(rescale.high))),
        least_(hn::Set(Floats(), errors.least)),
        most_(hn::Set(Floats(), errors.most)),
        zero_point_(static_cast<uint8_t>(rescale.zero_point)) {}
  // Vectors of a row, of which the elements with a bit are there (kWhole: all).
  template <bool kWhole, bool kErrors, int kVectors, int kSums>
  HWY_INLINE void Row(const Sum (&sums)[kVectors], float scale, float rest, uint64_t there, Squares<kSums>& squares,
                      uint8_t* out) const {
    const auto factor = hn::Set(Floats(), scale), round = hn::Set(Floats(), kRound);
    hn::Vec<Floats> products[kVectors], rounded[kVectors];
    Word words[kVectors];
    for (int v = 0; v < kVectors; ++v) {
      products[v] = hn::Mul(hn::ConvertTo(Floats(), sums[v]), factor);
      // Added to a number whose last bit is 1, a small one is rounded, ties to even, and lies in the last bits.
      rounded[v] = hn::Add(hn::Min(hn::Max(products[v], low_), high_), round);
      words[v] = hn::BitCast(Words(), rounded[v]);
    }
    if constexpr (kErrors) {
      for (int v = 0; v < kVectors; ++v) {
        auto real = hn::Min(hn::Max(hn::Add(products[v], hn::Set(Floats(), rest)), least_), most_);
        auto difference = hn::Sub(real, hn::Sub(rounded[v], round));
        if constexpr (!kWhole) {
          const auto mask = hn::RebindMask(Floats(), MaskOf(there, v));
          real = hn::IfThenElseZero(mask, real);
          difference = hn::IfThenElseZero(mask, difference);
        }
        squares.signal[v % kSums] = Fused(Floats(), real, real, squares.signal[v % kSums]);
        squares.noise[v % kSums] = Fused(Floats(), difference, difference, squares.noise[v % kSums]);
      }
    }
    StoreLowBytes<kVectors, kWhole>(words, zero_point_, there, out);
  }

 private:
  hn::Vec<Floats> low_, high_, least_, most_;
  uint8_t zero_point_;
};

// Where they are wanted as they are.
class ToSums {
 public:
  using Element = int32_t;

  template <bool kWhole, bool kErrors, int kVectors, int kSums>
  HWY_INLINE void Row(const Sum (&sums)[kVectors], float /*scale*/, float /*rest*/, uint64_t there,
                      Squares<kSums>& /*squares*/, int32_t* out) const {
    alignas(64) int32_t some[64];
    for (int v = 0; v < kVectors; ++v) hn::StoreU(sums[v], Sums(), (kWhole ? out : some) + v * kLanes);
    if (!kWhole) CopyThere(some, there, out);
  }
};

// The range of the sums that are there.
template <int kVectors, bool kWhole>
HWY_INLINE void AddTo(Range& range, const Sum (&sums)[kVectors], uint64_t there) {
  for (int v = 0; v < kVectors; ++v) range.Add(kWhole ? sums[v] : hn::IfThenElseZero(MaskOf(there, v), sums[v]));
}

HWY_INLINE uint32_t WordAt(const int8_t* from) {
  uint32_t word;
  std::memcpy(&word, from, sizeof(word));
  return word;
}

// What is noted of sums beside their results.
enum class Notes { kNone, kRange, kErrors };  // kErrors: and their range

// A panel's product, and where its results go.
template <class Out>
struct PanelTask {
  const PanelProduct& product;
  const float* scales;  // null: results are sums
  const Out& out;
  typename Out::Element* to;
  int64_t stride;  // of results
  Range* range;    // null: it is not asked for
  float* squares;  // of all columns; null: errors are not asked for
};

// What becomes of the rows of a tile from kRow on; not a loop, in which compilers would keep sums in memory.
template <int kRow, bool kWhole, bool kErrors, int kRows, int kVectors, class Out>
HWY_INLINE void StoreRows(const PanelTask<Out>& task, const Sum (&sums)[kRows][kVectors], int64_t row, int64_t column,
                          uint64_t there, Squares<kVectors>& squares) {
  const int64_t at = row + kRow;
  task.out.template Row<kWhole, kErrors>(sums[kRow], task.scales == nullptr ? 0.0f : task.scales[at],
                                         kErrors ? task.product.rest[at] : 0.0f, there, squares,
                                         task.to + at * task.stride + column);
  if constexpr (kRow + 1 < kRows) StoreRows<kRow + 1, kWhole, kErrors>(task, sums, row, column, there, squares);
}

// kRows rows from `row` on, kVectors vectors of columns from `column` on. `kWhole`: all of their columns are there.
template <int kRows, int kVectors, bool kWhole, Notes kNotes, class Out>
HWY_INLINE void MultiplyTile(const PanelTask<Out>& task, int64_t row, int64_t column) {
  const PanelProduct& p = task.product;
  Sum sums[kRows][kVectors];
  for (int r = 0; r < kRows; ++r) {
    for (int v = 0; v < kVectors; ++v) sums[r][v] = hn::Set(Sums(), p.bias[row + r]);
  }
  const int8_t* weights = p.weights + row * p.stride;
  const uint8_t* panel = p.panel + column * 4;
  for (int64_t quad = 0; quad < p.quads; ++quad) {
    const auto load = [&](int v) {
      return Unsigned4(hn::LoadU(Words(), reinterpret_cast<const uint32_t*>(panel) + v * kLanes));
    };
    const Unsigned4 x0 = load(0), x1 = load(kVectors > 1 ? 1 : 0), x2 = load(kVectors > 2 ? 2 : 0),
                    x3 = load(kVectors > 3 ? 3 : 0);
    for (int r = 0; r < kRows; ++r) {
      const Signed4 w(hn::Set(Words(), WordAt(weights + r * p.stride)));
      sums[r][0] = AddProducts(sums[r][0], x0, w);
      if constexpr (kVectors > 1) sums[r][1] = AddProducts(sums[r][1], x1, w);
      if constexpr (kVectors > 2) sums[r][2] = AddProducts(sums[r][2], x2, w);
      if constexpr (kVectors > 3) sums[r][3] = AddProducts(sums[r][3], x3, w);
    }
    weights += 4;
    panel += kPanelColumns * 4;
  }
  const uint64_t there = kWhole ? 0 : (uint64_t{1} << (p.columns - column)) - 1;
  if constexpr (kNotes != Notes::kNone) {
    Range range = *task.range;
    for (int r = 0; r < kRows; ++r) AddTo<kVectors, kWhole>(range, sums[r], there);
    *task.range = range;
  }
  constexpr bool kErrors = kNotes == Notes::kErrors;
  Squares<kVectors> squares;
  if constexpr (kErrors) squares = Squares<kVectors>(task.squares + column);
  StoreRows<0, kWhole, kErrors>(task, sums, row, column, there, squares);
  if constexpr (kErrors) squares.Store(task.squares + column);
}

template <int kVectors, bool kWhole, Notes kNotes, class Out>
void MultiplyRows(const PanelTask<Out>& task, int64_t column) {
  int64_t row = 0;
  for (; row + 4 <= task.product.rows; row += 4) MultiplyTile<4, kVectors, kWhole, kNotes>(task, row, column);
  for (; row < task.product.rows; ++row) MultiplyTile<1, kVectors, kWhole, kNotes>(task, row, column);
}

// Less than a vector of words; no other byte is read.
HWY_INLINE Word FirstWords(const int8_t* from, int64_t count) {
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2  // what is masked out is not touched
  return hn::MaskedLoad(hn::FirstN(Words(), static_cast<size_t>(count)), Words(),
                        reinterpret_cast<const uint32_t*>(from));
#else
  alignas(64) uint32_t some[kLanes] = {};
  std::memcpy(some, from, static_cast<size_t>(count) * 4);
  return hn::Load(Words(), some);
#endif
}

// One column of a panel: a vector holds quads of a row. Some rows and quads at a time, which are copied to stand next
// to each other.
template <Notes kNotes, class Out>
void MultiplyColumn(const PanelTask<Out>& task, int64_t column) {
  const PanelProduct& p = task.product;
  constexpr int64_t kQuads = 256, kRows = 64;
  alignas(64) uint32_t quads[kQuads];
  Range range = *task.range;
  constexpr bool kErrors = kNotes == Notes::kErrors;
  Squares<1> squares;
  if constexpr (kErrors) squares = Squares<1>(task.squares + column);
  for (int64_t first_row = 0; first_row < p.rows; first_row += kRows) {
    const int64_t rows = std::min(kRows, p.rows - first_row);
    uint32_t sums[kRows];
    std::copy_n(p.bias + first_row, rows, sums);
    for (int64_t first = 0; first < p.quads; first += kQuads) {
      const int64_t count = std::min(kQuads, p.quads - first), whole = count / kLanes * kLanes;
      for (int64_t i = 0; i < count; ++i) {
        std::memcpy(&quads[i], p.panel + (first + i) * kPanelColumns * 4 + column * 4, 4);
      }
      std::fill(quads + count, quads + (count + kLanes - 1) / kLanes * kLanes, 0u);
      for (int64_t row = 0; row < rows; ++row) {
        const int8_t* from = p.weights + (first_row + row) * p.stride + first * 4;
        Sum sum = hn::Zero(Sums());
        for (int64_t i = 0; i < whole; i += kLanes) {
          const Word some = hn::LoadU(Words(), reinterpret_cast<const uint32_t*>(from + i * 4));
          sum = AddProducts(sum, Unsigned4(hn::Load(Words(), quads + i)), Signed4(some));
        }
        if (whole < count) {
          const Word some = FirstWords(from + whole * 4, count - whole);
          sum = AddProducts(sum, Unsigned4(hn::Load(Words(), quads + whole)), Signed4(some));
        }
        sums[row] += static_cast<uint32_t>(hn::GetLane(hn::SumOfLanes(Sums(), sum)));  // wraps as vectors do
      }
    }
    for (int64_t row = 0; row < rows; ++row) {
      const Sum one[1] = {hn::Set(Sums(), static_cast<int32_t>(sums[row]))};
      const int64_t at = first_row + row;
      if constexpr (kNotes != Notes::kNone) AddTo<1, true>(range, one, 0);
      task.out.template Row<false, kErrors>(one, task.scales == nullptr ? 0.0f : task.scales[at],
                                            kErrors ? p.rest[at] : 0.0f, 1, squares,
                                            task.to + at * task.stride + column);
    }
  }
  *task.range = range;
  if constexpr (kErrors) squares.Store(task.squares + column);
}

template <int kVectors, Notes kNotes, class Out>
void MultiplyColumns(const PanelTask<Out>& task, int64_t column) {
  const bool whole = task.product.columns - column >= kVectors * kLanes;
  whole ? MultiplyRows<kVectors, true, kNotes>(task, column) : MultiplyRows<kVectors, false, kNotes>(task, column);
}

template <Notes kNotes, class Out>
void MultiplyPanelTo(const PanelTask<Out>& task) {
  // What the registers hold: there are 32 where vectors are of 16 lanes.
  constexpr int64_t kMost = kLanes == 16 ? 4 : 2;
  const int64_t columns = task.product.columns;
  for (int64_t column = 0; column < columns;) {
    const int64_t left = columns - column;
    if (left == 1) return MultiplyColumn<kNotes>(task, column);
    // One more than vectors hold comes on its own.
    const int64_t vectors = std::min(kMost, left % kLanes == 1 ? left / kLanes : (left + kLanes - 1) / kLanes);
    if (vectors == 4) MultiplyColumns<4, kNotes>(task, column);
    if (vectors == 3) MultiplyColumns<3, kNotes>(task, column);
    if (vectors == 2) MultiplyColumns<2, kNotes>(task, column);
    if (vectors == 1) MultiplyColumns<1, kNotes>(task, column);
    column += vectors * kLanes;
  }
}

void PanelBytesImpl(const PanelProduct& p, const float* scales, const ByteRescale& rescale, uint8_t* out,
                    int64_t out_stride, SumRange* range, StepErrors* errors) {
  const ToBytes to(rescale, errors == nullptr ? StepErrors() : *errors);
  Range seen;
  if (errors == nullptr) {
    const PanelTask<ToBytes> task{p, scales, to, out, out_stride, &seen, nullptr};
    range == nullptr ? MultiplyPanelTo<Notes::kNone>(task) : MultiplyPanelTo<Notes::kRange>(task);
  } else {
    constexpr int64_t kRows = 64;  // a part is the sum of as many squares
    PanelProduct some = p;
    for (int64_t first = 0; first < p.rows; first += kRows) {
      some.rows = std::min(kRows, p.rows - first);
      some.weights = p.weights + first * p.stride;
      some.bias = p.bias + first;
      some.rest = p.rest + first;
      float squares[2 * kErrorParts] = {};
      MultiplyPanelTo<Notes::kErrors>(
          PanelTask<ToBytes>{some, scales + first, to, out + first * out_stride, out_stride, &seen, squares});
      AddSquares(squares, kErrorParts, *errors);
    }
  }
  if (range != nullptr) seen.Widen(range);
}

void PanelSumsImpl(const PanelProduct& p, int32_t* out, int64_t out_stride, SumRange* range) {
  Range seen;
  const ToSums to;
  MultiplyPanelTo<Notes::kRange>(PanelTask<ToSums>{p, nullptr, to, out, out_stride, &seen, nullptr});
  if (range != nullptr) seen.Widen(range);
}

void PackPanelImpl(absl::Span<const uint8_t* const> rows, absl::Span<const Piece> pieces, uint8_t flip,
                   const uint8_t* end, uint8_t* panel) {
  const hn::CappedTag<uint8_t, 16> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto mask = hn::Set(d, flip);
  for (size_t k = 0; k + 4 <= rows.size(); k += 4, panel += kPanelColumns * 4) {
    const uint8_t* const* row = &rows[k];
    const uint8_t* last = std::max(std::max(row[0], row[1]), std::max(row[2], row[3]));
    uint8_t* to = panel;
    for (const Piece& piece : pieces) {
      // Whole vectors, also beyond the piece: what follows overwrites that.
      int64_t i = 0;
      for (; i < piece.count && end - last >= piece.from + i + lanes; i += lanes) {
        const int64_t at = piece.from + i;
        hn::StoreInterleaved4(hn::Xor(hn::LoadU(d, row[0] + at), mask), hn::Xor(hn::LoadU(d, row[1] + at), mask),
                              hn::Xor(hn::LoadU(d, row[2] + at), mask), hn::Xor(hn::LoadU(d, row[3] + at), mask), d,
                              to + i * 4);
      }
      for (; i < piece.count; ++i) {
        for (int j = 0; j < 4; ++j) to[i * 4 + j] = row[j][piece.from + i] ^ flip;
      }
      to += piece.count * 4;
    }
  }
}

#if HWY_TARGET == HWY_AVX3_DL
// Sums of 64 outputs from `position` on, in their order.
template <int kTaps>
HWY_INLINE void SumsFrom(const PlaneProduct& p, int32_t bias, int64_t position, Sum (&sums)[4]) {
  const hn::CappedTag<uint8_t, 64> d;
  const hn::Repartition<uint16_t, decltype(d)> pairs;
  const auto flip = hn::Set(d, p.flip);
  const size_t taps = kTaps == 0 ? p.taps.size() : kTaps;
  // Sum j: columns 4 * j to 4 * j + 3 of each 16.
  Sum of_blocks[4];
  for (Sum& sum : of_blocks) sum = hn::Set(Sums(), bias);
  for (size_t t = 0; t < taps; t += 4) {
    // Weights that fill up the last four are zeros.
    const auto load = [&](size_t i) HWY_ATTR {
      return hn::Xor(hn::LoadU(d, p.plane + p.taps[t + i < taps ? t + i : t] + position), flip);
    };
    const auto x0 = load(0), x1 = load(1), x2 = load(2), x3 = load(3);
    const auto a = hn::BitCast(pairs, hn::InterleaveLower(d, x0, x1)),
               b = hn::BitCast(pairs, hn::InterleaveLower(d, x2, x3));
    const auto e = hn::BitCast(pairs, hn::InterleaveUpper(d, x0, x1)),
               f = hn::BitCast(pairs, hn::InterleaveUpper(d, x2, x3));
    const Signed4 w(hn::Set(Words(), WordAt(p.weights + t)));
    of_blocks[0] = AddProducts(of_blocks[0], Unsigned4(hn::BitCast(Words(), hn::InterleaveLower(pairs, a, b))), w);
    of_blocks[1] = AddProducts(of_blocks[1], Unsigned4(hn::BitCast(Words(), hn::InterleaveUpper(pairs, a, b))), w);
    of_blocks[2] = AddProducts(of_blocks[2], Unsigned4(hn::BitCast(Words(), hn::InterleaveLower(pairs, e, f))), w);
    of_blocks[3] = AddProducts(of_blocks[3], Unsigned4(hn::BitCast(Words(), hn::InterleaveUpper(pairs, e, f))), w);
  }
  // Blocks of four columns, transposed.
  const __m512i a = _mm512_shuffle_i32x4(of_blocks[0].raw, of_blocks[1].raw, 0x44);
  const __m512i b = _mm512_shuffle_i32x4(of_blocks[2].raw, of_blocks[3].raw, 0x44);
  const __m512i e = _mm512_shuffle_i32x4(of_blocks[0].raw, of_blocks[1].raw, 0xEE);
  const __m512i f = _mm512_shuffle_i32x4(of_blocks[2].raw, of_blocks[3].raw, 0xEE);
  sums[0] = Sum{_mm512_shuffle_i32x4(a, b, 0x88)};
  sums[1] = Sum{_mm512_shuffle_i32x4(a, b, 0xDD)};
  sums[2] = Sum{_mm512_shuffle_i32x4(e, f, 0x88)};
  sums[3] = Sum{_mm512_shuffle_i32x4(e, f, 0xDD)};
}
// What is added to the sums beside the bias: unsigned bytes are multiplied.
int32_t Prepare(const PlaneProduct& p) {
  int32_t sum = 0;
  for (size_t t = 0; t < p.taps.size(); ++t) sum += p.weights[t];
  return p.bias - p.zero_point * sum;
}
#else
template <int kTaps>
HWY_INLINE void SumsFrom(const PlaneProduct& p, int32_t bias, int64_t position, Sum (&sums)[kRunPositions / kLanes]) {
  // Sums without the bias are integers that float32 holds. Four vectors at a time stay in registers.
  const Floats d;
  for (int64_t v = 0; v < kRunPositions / kLanes; v += 4) {
    hn::Vec<Floats> some[4] = {hn::Zero(d), hn::Zero(d), hn::Zero(d), hn::Zero(d)};
    for (size_t t = 0; t < (kTaps == 0 ? p.taps.size() : kTaps); ++t) {
      const float* tap = p.room + p.taps[t] + position + v * kLanes;
      const auto w = hn::Set(d, static_cast<float>(p.weights[t]));
      for (int64_t i = 0; i < 4; ++i) some[i] = hn::MulAdd(hn::LoadU(d, tap + i * kLanes), w, some[i]);
    }
    for (int64_t i = 0; i < 4; ++i) sums[v + i] = hn::Add(hn::NearestInt(some[i]), hn::Set(Sums(), bias));
  }
}
// The centered elements as reals.
int32_t Prepare(const PlaneProduct& p) {
  const Sums d;
  const auto mask = hn::Set(Bytes(), p.flip);
  const auto zero = hn::Set(d, p.zero_point);
  int64_t i = 0;
  for (; i + kLanes <= p.size; i += kLanes) {
    const auto bytes = hn::Xor(hn::LoadU(Bytes(), p.plane + i), mask);
    hn::StoreU(hn::ConvertTo(Floats(), hn::Sub(hn::PromoteTo(d, bytes), zero)), Floats(), p.room + i);
  }
  for (; i < p.size; ++i) {
    p.room[i] = static_cast<float>(static_cast<int32_t>(p.plane[i] ^ p.flip) - p.zero_point);
  }
  return p.bias;
}
#endif

// `kTaps`: how many there are; 0: any number.
template <int kTaps, Notes kNotes, class Out>
void MultiplyTaps(const PlaneProduct& p, float scale, const Out& out, typename Out::Element* to, Range& range,
                  float* squares) {
  constexpr bool kErrors = kNotes == Notes::kErrors;
  constexpr int kVectors = kRunPositions / kLanes;
  const int32_t bias = Prepare(p);
  Range seen = range;
  Squares<kRunParts / kLanes> of_runs;
  Sum sums[kVectors];
  if (!p.runs.empty()) SumsFrom<kTaps>(p, bias, p.runs[0].position, sums);
  for (size_t i = 0; i < p.runs.size(); ++i) {
    const PlaneRun& run = p.runs[i];
    // The next sums come before what becomes of these, which does not wait for them.
    Sum next[kVectors];
    for (int v = 0; v < kVectors; ++v) next[v] = sums[v];
    if (i + 1 < p.runs.size()) SumsFrom<kTaps>(p, bias, p.runs[i + 1].position, next);
    if constexpr (kNotes != Notes::kNone) AddTo<kVectors, false>(seen, sums, run.there);
    if (kLanes < 16 && run.there == ~uint64_t{0}) {  // masks cost something
      out.template Row<true, kErrors>(sums, scale, p.rest, run.there, of_runs, to);
    } else {
      out.template Row<false, kErrors>(sums, scale, p.rest, run.there, of_runs, to);
    }
    to += hwy::PopCount(run.there);
    for (int v = 0; v < kVectors; ++v) sums[v] = next[v];
  }
  if constexpr (kErrors) of_runs.Store(squares);
  range = seen;
}

template <Notes kNotes, class Out>
void MultiplyPlaneTo(const PlaneProduct& p, float scale, const Out& out, typename Out::Element* to, Range& range,
                     float* squares) {
  p.taps.size() == 9 ? MultiplyTaps<9, kNotes>(p, scale, out, to, range, squares)
                     : MultiplyTaps<0, kNotes>(p, scale, out, to, range, squares);
}

void PlaneBytesImpl(const PlaneProduct& p, float scale, const ByteRescale& rescale, uint8_t* out, SumRange* range,
                    StepErrors* errors) {
  const ToBytes to(rescale, errors == nullptr ? StepErrors() : *errors);
  Range seen;
  if (errors == nullptr) {
    range == nullptr ? MultiplyPlaneTo<Notes::kNone>(p, scale, to, out, seen, nullptr)
                     : MultiplyPlaneTo<Notes::kRange>(p, scale, to, out, seen, nullptr);
  } else {
    float squares[2 * kErrorParts];
    MultiplyPlaneTo<Notes::kErrors>(p, scale, to, out, seen, squares);
    AddSquares(squares, kRunParts, *errors);
  }
  if (range != nullptr) seen.Widen(range);
}

void PlaneSumsImpl(const PlaneProduct& p, int32_t* out, SumRange* range) {
  Range seen;
  MultiplyPlaneTo<Notes::kRange>(p, 0, ToSums(), out, seen, nullptr);
  if (range != nullptr) seen.Widen(range);
}

ByteSums SumBytesImpl(const int8_t* from, int64_t count) {
  const Unsigned4 ones(hn::Set(Words(), 0x01010101u));
  Sum all = hn::Zero(Sums()), positive = all;
  const auto add = [&](Word some) HWY_ATTR {
    all = AddProducts(all, ones, Signed4(some));
    const Word negative = hn::And(hn::ShiftRight<7>(some), hn::Set(Words(), 0x01010101u));
    // A byte of ones for each negative one.
    const Word mask = hn::Sub(hn::ShiftLeft<8>(negative), negative);
    positive = AddProducts(positive, ones, Signed4(hn::AndNot(mask, some)));
  };
  int64_t i = 0;
  for (; i + 4 * kLanes <= count; i += 4 * kLanes) {
    add(hn::LoadU(Words(), reinterpret_cast<const uint32_t*>(from + i)));
  }
  if (const int64_t left = (count - i) / 4; left > 0) {
    add(FirstWords(from + i, left));
    i += left * 4;
  }
  ByteSums sums{hn::GetLane(hn::SumOfLanes(Sums(), all)), hn::GetLane(hn::SumOfLanes(Sums(), positive))};
  for (; i < count; ++i) {
    sums.all += from[i];
    sums.positive += std::max<int32_t>(from[i], 0);
  }
  return sums;
}

}  // namespace quantgate::simulator::HWY_NAMESPACE
#if HWY_TARGET == HWY_AVX3_DL
HWY_POP_ATTRIBUTES
#endif
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace quantgate::simulator {

HWY_EXPORT(PanelBytesImpl);
HWY_EXPORT(PanelSumsImpl);
HWY_EXPORT(PackPanelImpl);
HWY_EXPORT(PlaneBytesImpl);
HWY_EXPORT(PlaneSumsImpl);
HWY_EXPORT(SumBytesImpl);

void PackPanel(absl::Span<const uint8_t* const> rows, absl::Span<const Piece> pieces, uint8_t flip, const uint8_t* end,
               uint8_t* panel) {
  HWY_DYNAMIC_DISPATCH(PackPanelImpl)(rows, pieces, flip, end, panel);
}

void MultiplyPanel(const PanelProduct& product, const float* scales, const ByteRescale& rescale, uint8_t* out,
                   int64_t out_stride, SumRange* range, StepErrors* errors) {
  HWY_DYNAMIC_DISPATCH(PanelBytesImpl)(product, scales, rescale, out, out_stride, range, errors);
}

void MultiplyPanel(const PanelProduct& product, int32_t* out, int64_t out_stride, SumRange* range) {
  HWY_DYNAMIC_DISPATCH(PanelSumsImpl)(product, out, out_stride, range);
}

void MultiplyPlane(const PlaneProduct& product, float scale, const ByteRescale& rescale, uint8_t* out, SumRange* range,
                   StepErrors* errors) {
  HWY_DYNAMIC_DISPATCH(PlaneBytesImpl)(product, scale, rescale, out, range, errors);
}

void MultiplyPlane(const PlaneProduct& product, int32_t* out, SumRange* range) {
  HWY_DYNAMIC_DISPATCH(PlaneSumsImpl)(product, out, range);
}

std::vector<PlaneRun> PlaneRuns(int64_t rows, int64_t columns, int64_t step) {
  const int64_t all = (rows - 1) * step + columns;
  const auto runs_of = [](int64_t positions) { return (positions + kRunPositions - 1) / kRunPositions; };
  std::vector<PlaneRun> runs;
  if (rows * runs_of(columns) < runs_of(all)) {  // rows that lie far from each other
    for (int64_t row = 0; row < rows; ++row) {
      for (int64_t column = 0; column < columns; column += kRunPositions) {
        const int64_t left = columns - column;
        runs.push_back({row * step + column, left >= kRunPositions ? ~uint64_t{0} : (uint64_t{1} << left) - 1});
      }
    }
    return runs;
  }
  for (int64_t first = 0; first < all; first += kRunPositions) {
    PlaneRun& run = runs.emplace_back();
    run.position = first;
    for (int64_t i = 0; i < std::min(kRunPositions, all - first); ++i) {
      run.there |= uint64_t{(first + i) % step < columns} << i;
    }
  }
  return runs;
}

ByteSums SumBytes(const int8_t* from, int64_t count) { return HWY_DYNAMIC_DISPATCH(SumBytesImpl)(from, count); }

}  // namespace quantgate::simulator
#endif  // HWY_ONCE
