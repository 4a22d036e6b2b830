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
#include <type_traits>

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
  return Sum{_mm512_dpbusd_epi32(sum.raw, x.word.raw, w.word.raw)};
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

// The range of the sums of columns that are there.
class Range {
 public:
  // Not a default initializer: compilers give that no target.
  Range() : least_(hn::Zero(Sums())), most_(hn::Zero(Sums())), small_(hn::Zero(Floats())), large_(hn::Zero(Floats())) {}
  HWY_INLINE void Add(Sum sum, int64_t columns) {
    if (columns < kLanes) sum = hn::IfThenElseZero(hn::FirstN(Sums(), static_cast<size_t>(columns)), sum);
    least_ = hn::Min(least_, sum);
    most_ = hn::Max(most_, sum);
  }
  // Integers that float32 holds.
  HWY_INLINE void Add(hn::Vec<Floats> sum, int64_t columns) {
    if (columns < kLanes) sum = hn::IfThenElseZero(hn::FirstN(Floats(), static_cast<size_t>(columns)), sum);
    small_ = hn::Min(small_, sum);
    large_ = hn::Max(large_, sum);
  }
  void Widen(SumRange* range) const {
    const Sum least = hn::Min(least_, hn::NearestInt(small_)), most = hn::Max(most_, hn::NearestInt(large_));
    range->least = std::min(range->least, hn::GetLane(hn::MinOfLanes(Sums(), least)));
    range->most = std::max(range->most, hn::GetLane(hn::MaxOfLanes(Sums(), most)));
  }

 private:
  Sum least_, most_;
  hn::Vec<Floats> small_, large_;
};

constexpr float kRound = 12582912;  // 1.5 * 2^23

// The squares of a row of results, in kErrorParts parts each: element c in part c % kErrorParts, in the order of the
// elements, whatever a vector holds.
constexpr int64_t kErrorParts = 16;
struct Squares {
  static constexpr int64_t kVectors = kErrorParts / kLanes;

  // `from`: kErrorParts of the signal, and then as many of the noise.
  HWY_INLINE explicit Squares(const float* from) {
    for (int64_t v = 0; v < kVectors; ++v) {
      signal[v] = hn::LoadU(Floats(), from + v * kLanes);
      noise[v] = hn::LoadU(Floats(), from + kErrorParts + v * kLanes);
    }
  }
  HWY_INLINE void Store(float* to) const {
    for (int64_t v = 0; v < kVectors; ++v) {
      hn::StoreU(signal[v], Floats(), to + v * kLanes);
      hn::StoreU(noise[v], Floats(), to + kErrorParts + v * kLanes);
    }
  }

  hn::Vec<Floats> signal[kVectors], noise[kVectors];
};

// What StepErrors says of a vector of sums. CMakeLists.txt keeps compilers from fusing products and sums.
class ErrorOf {
 public:
  ErrorOf(const ByteRescale& rescale, const StepErrors& errors)
      : low_(hn::Set(Floats(), static_cast<float>(rescale.low))),
        high_(hn::Set(Floats(), static_cast<float>(rescale.high))),
        least_(hn::Set(Floats(), errors.least)),
        most_(hn::Set(Floats(), errors.most)) {}
  // The vector of columns from `column` on; `columns` of it are there.
  HWY_INLINE void operator()(hn::Vec<Floats> sum, float scale, float rest, int64_t column, int64_t columns,
                             Squares& squares) const {
    const auto round = hn::Set(Floats(), kRound);
    const auto product = hn::Mul(sum, hn::Set(Floats(), scale));
    const auto stored = hn::Sub(hn::Add(hn::Min(hn::Max(product, low_), high_), round), round);
    auto real = hn::Min(hn::Max(hn::Add(product, hn::Set(Floats(), rest)), least_), most_);
    auto difference = hn::Sub(real, stored);
    if (columns < kLanes) {
      const auto there = hn::FirstN(Floats(), static_cast<size_t>(columns));
      real = hn::IfThenElseZero(there, real);
      difference = hn::IfThenElseZero(there, difference);
    }
    const int64_t v = column / kLanes % Squares::kVectors;
    squares.signal[v] = hn::Add(squares.signal[v], hn::Mul(real, real));
    squares.noise[v] = hn::Add(squares.noise[v], hn::Mul(difference, difference));
  }
  HWY_INLINE void operator()(Sum sum, float scale, float rest, int64_t column, int64_t columns,
                             Squares& squares) const {
    (*this)(hn::ConvertTo(Floats(), sum), scale, rest, column, columns, squares);
  }

 private:
  hn::Vec<Floats> low_, high_, least_, most_;
};

// Rows of Squares, as they are stored.
void AddSquares(const float* squares, int64_t rows, StepErrors& errors) {
  const hn::CappedTag<double, 8> d;
  const hn::Rebind<float, decltype(d)> halves;
  constexpr int64_t kSome = hn::MaxLanes(d), kParts = 2 * kErrorParts;
  alignas(64) double parts[kParts];
  for (int64_t v = 0; v < kParts; v += kSome) {
    auto sum = hn::Zero(d);
    for (int64_t row = 0; row < rows; ++row) {
      sum = hn::Add(sum, hn::PromoteTo(d, hn::LoadU(halves, squares + row * kParts + v)));
    }
    hn::Store(sum, d, parts + v);
  }
  for (int64_t i = 0; i < kErrorParts; ++i) {
    errors.signal += parts[i];
    errors.noise += parts[kErrorParts + i];
  }
}

// Where sums go, as bytes: `columns` of them are there in a vector. Reals are sums, or integers that float32 holds.
class ToBytes {
 public:
  // From `end` on, nothing may be written but what is there; before it, whole vectors: what follows overwrites that.
  ToBytes(const ByteRescale& rescale, uint8_t* out, int64_t end = 0)
      : least_(hn::Set(Floats(), static_cast<float>(rescale.low))),
        most_(hn::Set(Floats(), static_cast<float>(rescale.high))),
        round_(hn::Set(Floats(), kRound)),
        zero_(hn::Sub(hn::Set(Sums(), rescale.zero_point + (rescale.is_signed ? 128 : 0)),
                      hn::BitCast(Sums(), hn::Set(Floats(), kRound)))),
        flip_(hn::Set(Bytes(), rescale.is_signed ? 0x80 : 0)),
        out_(out),
        end_(end) {}
  HWY_INLINE void operator()(Sum sum, float scale, int64_t at, int64_t columns) const {
    (*this)(hn::ConvertTo(Floats(), sum), scale, at, columns);
  }
  HWY_INLINE void operator()(hn::Vec<Floats> sum, float scale, int64_t at, int64_t columns) const {
    const int64_t lanes = static_cast<int64_t>(hn::Lanes(Sums()));
    const auto real = hn::Min(hn::Max(hn::Mul(sum, hn::Set(Floats(), scale)), least_), most_);
    // Added to a number whose last bit is 1, a small one is rounded, ties to even, and lies in the last bits.
    const Sum whole = hn::Add(hn::BitCast(Sums(), hn::Add(real, round_)), zero_);
    const auto bytes = hn::Xor(hn::DemoteTo(Bytes(), whole), flip_);
    if (columns >= lanes || at + lanes <= end_) {
      hn::StoreU(bytes, Bytes(), out_ + at);
      return;
    }
    HWY_ALIGN uint8_t some[16];
    hn::StoreU(bytes, Bytes(), some);
    std::memcpy(out_ + at, some, static_cast<size_t>(columns));
  }

 private:
  hn::Vec<Floats> least_, most_, round_;
  Sum zero_;
  hn::Vec<Bytes> flip_;  // signed bytes are made as unsigned ones
  uint8_t* out_;
  int64_t end_;
};

class ToSums {
 public:
  explicit ToSums(int32_t* out) : out_(out) {}
  HWY_INLINE void operator()(Sum sum, float /*scale*/, int64_t at, int64_t columns) const {
    if (columns >= static_cast<int64_t>(hn::Lanes(Sums()))) {
      hn::StoreU(sum, Sums(), out_ + at);
      return;
    }
    HWY_ALIGN int32_t some[16];
    hn::StoreU(sum, Sums(), some);
    std::memcpy(out_ + at, some, static_cast<size_t>(columns) * sizeof(int32_t));
  }

 private:
  int32_t* out_;
};

HWY_INLINE uint32_t WordAt(const int8_t* from) {
  uint32_t word;
  std::memcpy(&word, from, sizeof(word));
  return word;
}

// What is noted of the sums beside their results; null: it is not asked for. Nothing: code that asks for none of it.
struct Noted {
  Range* range = nullptr;
  const ErrorOf* error_of = nullptr;
  float* squares = nullptr;  // rows of Squares, with error_of
};
struct Nothing {};

// kRows rows from `row` on, kVectors vectors of columns from `column` on.
template <int kRows, int kVectors, class Out, class Notes>
HWY_INLINE void MultiplyTile(const PanelProduct& p, const float* scales, int64_t row, int64_t column, const Out& out,
                             int64_t out_stride, const Notes& noted) {
  constexpr bool kNotes = std::is_same_v<Notes, Noted>;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(Sums()));
  Sum sums[kRows][kVectors];
  for (int r = 0; r < kRows; ++r) {
    for (int v = 0; v < kVectors; ++v) sums[r][v] = hn::Set(Sums(), p.bias[row + r]);
  }
  const int8_t* weights = p.weights + row * p.stride;
  const uint8_t* panel = p.panel + column * 4;
  for (int64_t quad = 0; quad < p.quads; ++quad) {
    const auto load = [&](int v) {
      return Unsigned4(hn::LoadU(Words(), reinterpret_cast<const uint32_t*>(panel) + v * lanes));
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
  // Before the results are stored, as bytes, which compilers take for writes to anything.
  if constexpr (kNotes) {
    if (noted.range != nullptr) {
      Range range = *noted.range;
      for (int r = 0; r < kRows; ++r) {
        for (int v = 0; v < kVectors; ++v) range.Add(sums[r][v], p.columns - column - v * lanes);
      }
      *noted.range = range;
    }
    for (int r = 0; r < kRows && noted.error_of != nullptr; ++r) {
      float* const of_row = noted.squares + (row + r) * 2 * kErrorParts;
      Squares squares(of_row);
      for (int v = 0; v < kVectors; ++v) {
        const int64_t at = column + v * lanes;
        (*noted.error_of)(sums[r][v], scales[row + r], p.rest[row + r], at, p.columns - at, squares);
      }
      squares.Store(of_row);
    }
  }
  for (int r = 0; r < kRows; ++r) {
    for (int v = 0; v < kVectors; ++v) {
      const int64_t at = column + v * lanes;
      out(sums[r][v], scales == nullptr ? 0.0f : scales[row + r], (row + r) * out_stride + at, p.columns - at);
    }
  }
}

template <int kVectors, class Out, class Notes>
void MultiplyColumns(const PanelProduct& p, const float* scales, int64_t column, const Out& out, int64_t out_stride,
                     const Notes& noted) {
  int64_t row = 0;
  for (; row + 4 <= p.rows; row += 4) MultiplyTile<4, kVectors>(p, scales, row, column, out, out_stride, noted);
  for (; row < p.rows; ++row) MultiplyTile<1, kVectors>(p, scales, row, column, out, out_stride, noted);
}

template <class Out, class Notes>
void MultiplyPanelTo(const PanelProduct& p, const float* scales, const Out& out, int64_t out_stride,
                     const Notes& noted) {
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(Sums()));
  // What the registers hold: there are 32 where vectors are of 16 lanes.
  const int64_t most = lanes == 16 ? 4 : 2;
  for (int64_t column = 0; column < p.columns;) {
    const int64_t vectors = std::min(most, (p.columns - column + lanes - 1) / lanes);
    if (vectors == 4) MultiplyColumns<4>(p, scales, column, out, out_stride, noted);
    if (vectors == 3) MultiplyColumns<3>(p, scales, column, out, out_stride, noted);
    if (vectors == 2) MultiplyColumns<2>(p, scales, column, out, out_stride, noted);
    if (vectors == 1) MultiplyColumns<1>(p, scales, column, out, out_stride, noted);
    column += vectors * lanes;
  }
}

void PanelBytesImpl(const PanelProduct& p, const float* scales, const ByteRescale& rescale, uint8_t* out,
                    int64_t out_stride, SumRange* range, StepErrors* errors) {
  if (range == nullptr && errors == nullptr) {
    MultiplyPanelTo(p, scales, ToBytes(rescale, out), out_stride, Nothing());
    return;
  }
  // Some rows at a time: what is noted of them stays in the first cache, however many there are.
  constexpr int64_t kRows = 64;
  float squares[kRows * 2 * kErrorParts];
  Range seen;
  const ErrorOf error_of(rescale, errors == nullptr ? StepErrors() : *errors);
  Noted noted{&seen};
  if (errors != nullptr) {
    noted.error_of = &error_of;
    noted.squares = squares;
  }
  PanelProduct some = p;
  for (int64_t first = 0; first < p.rows; first += kRows) {
    some.rows = std::min(kRows, p.rows - first);
    some.weights = p.weights + first * p.stride;
    some.bias = p.bias + first;
    if (errors != nullptr) {
      some.rest = p.rest + first;
      std::fill_n(squares, some.rows * 2 * kErrorParts, 0.0f);
    }
    MultiplyPanelTo(some, scales + first, ToBytes(rescale, out + first * out_stride), out_stride, noted);
    if (errors != nullptr) AddSquares(squares, some.rows, *errors);
  }
  if (range != nullptr) seen.Widen(range);
}

void PanelSumsImpl(const PanelProduct& p, int32_t* out, int64_t out_stride, SumRange* range) {
  Range seen;
  MultiplyPanelTo(p, nullptr, ToSums(out), out_stride, Noted{&seen});
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

// kSmall: sums with their bias are integers that float32 holds. `note` sees sums as they are.
template <int kCount, bool kSmall, class Out, class Note>
HWY_INLINE void MultiplyPlaneAt(const PlaneProduct& p, const int64_t* from, const int64_t* to, const int64_t* columns,
                                float scale, const Out& out, const Note& note) {
  const Floats d;
  hn::Vec<Floats> sums[kCount];
  for (int i = 0; i < kCount; ++i) sums[i] = hn::Set(d, kSmall ? static_cast<float>(p.bias) : 0.0f);
  for (size_t t = 0; t < p.taps.size(); ++t) {
    const float* tap = p.taps[t];
    const auto w = hn::Set(d, p.weights[t]);
    for (int i = 0; i < kCount; ++i) sums[i] = hn::MulAdd(hn::LoadU(d, tap + from[i]), w, sums[i]);
  }
  // Notes come before the results are stored, as bytes, which compilers take for writes to anything.
  if constexpr (kSmall) {
    note(sums, columns, kCount);
    for (int i = 0; i < kCount; ++i) out(sums[i], scale, to[i], columns[i]);
  } else {
    Sum whole[kCount];
    for (int i = 0; i < kCount; ++i) whole[i] = hn::Add(hn::NearestInt(sums[i]), hn::Set(Sums(), p.bias));
    note(whole, columns, kCount);
    for (int i = 0; i < kCount; ++i) out(whole[i], scale, to[i], columns[i]);
  }
}

template <bool kSmall, class Out, class Note>
HWY_INLINE void MultiplyPlaneTo(const PlaneProduct& p, float scale, const Out& out, const Note& note) {
  constexpr int kAtOnce = 4;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(Floats()));
  int64_t from[kAtOnce], to[kAtOnce], columns[kAtOnce];
  int waiting = 0;
  for (int64_t row = 0; row < p.rows; ++row) {
    for (int64_t column = 0; column < p.columns; column += lanes) {
      from[waiting] = row * p.step + column;
      to[waiting] = row * p.columns + column;
      columns[waiting] = p.columns - column;
      if (++waiting < kAtOnce) continue;
      MultiplyPlaneAt<kAtOnce, kSmall>(p, from, to, columns, scale, out, note);
      waiting = 0;
    }
  }
  for (int i = 0; i < waiting; ++i) {
    MultiplyPlaneAt<1, kSmall>(p, from + i, to + i, columns + i, scale, out, note);
  }
}

// The sums' range and errors, both of which may be null.
template <bool kSmall, class Out>
void NotePlane(const PlaneProduct& p, float scale, const ByteRescale& rescale, const Out& out, SumRange* range,
               StepErrors* errors) {
  Range seen;
  const ErrorOf error_of(rescale, errors == nullptr ? StepErrors() : *errors);
  float parts[2 * kErrorParts] = {};
  Squares squares(parts);
  MultiplyPlaneTo<kSmall>(p, scale, out, [&](const auto* sums, const int64_t* columns, int count) {
    Range some = seen;
    for (int i = 0; i < count; ++i) some.Add(sums[i], columns[i]);
    seen = some;
    if (errors == nullptr) return;
    Squares sum_of = squares;
    for (int i = 0; i < count; ++i) {
      error_of(sums[i], scale, p.rest, p.columns - columns[i], columns[i], sum_of);
    }
    squares = sum_of;
  });
  if (range != nullptr) seen.Widen(range);
  if (errors == nullptr) return;
  squares.Store(parts);
  AddSquares(parts, 1, *errors);
}

void PlaneBytesImpl(const PlaneProduct& p, float scale, const ByteRescale& rescale, uint8_t* out, SumRange* range,
                    StepErrors* errors) {
  const ToBytes to(rescale, out, p.rows * p.columns);
  const int64_t largest = static_cast<int64_t>(p.taps.size()) * 255 * 128 + std::abs(static_cast<int64_t>(p.bias));
  const bool small = largest < (1 << 24);
  if (range == nullptr && errors == nullptr) {
    const auto nothing = [](const auto*, const int64_t*, int) {};
    small ? MultiplyPlaneTo<true>(p, scale, to, nothing) : MultiplyPlaneTo<false>(p, scale, to, nothing);
  } else if (small) {
    NotePlane<true>(p, scale, rescale, to, range, errors);
  } else {
    NotePlane<false>(p, scale, rescale, to, range, errors);
  }
}

void PlaneSumsImpl(const PlaneProduct& p, int32_t* out, SumRange* range) {
  NotePlane<false>(p, 0, {}, ToSums(out), range, nullptr);
}

void CenterBytesImpl(const uint8_t* from, int64_t count, uint8_t flip, int32_t zero_point, float* to) {
  const Sums d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto mask = hn::Set(Bytes(), flip);
  const auto zero = hn::Set(d, zero_point);
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const auto bytes = hn::Xor(hn::LoadU(Bytes(), from + i), mask);
    hn::StoreU(hn::ConvertTo(Floats(), hn::Sub(hn::PromoteTo(d, bytes), zero)), Floats(), to + i);
  }
  for (; i < count; ++i) to[i] = static_cast<float>(static_cast<int32_t>(from[i] ^ flip) - zero_point);
}

ByteSums SumBytesImpl(const int8_t* from, int64_t count) {
  const Unsigned4 ones(hn::Set(Words(), 0x01010101u));
  const int64_t size = 4 * static_cast<int64_t>(hn::Lanes(Words()));
  Sum all = hn::Zero(Sums()), positive = all;
  int64_t i = 0;
  for (; i + size <= count; i += size) {
    const Word bytes = hn::LoadU(Words(), reinterpret_cast<const uint32_t*>(from + i));
    const Word negative = hn::And(hn::ShiftRight<7>(bytes), hn::Set(Words(), 0x01010101u));
    all = AddProducts(all, ones, Signed4(bytes));
    // A byte of ones for each negative one.
    const Word mask = hn::Sub(hn::ShiftLeft<8>(negative), negative);
    positive = AddProducts(positive, ones, Signed4(hn::AndNot(mask, bytes)));
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
HWY_EXPORT(CenterBytesImpl);
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

void CenterBytes(const uint8_t* from, int64_t count, uint8_t flip, int32_t zero_point, float* to) {
  HWY_DYNAMIC_DISPATCH(CenterBytesImpl)(from, count, flip, zero_point, to);
}

ByteSums SumBytes(const int8_t* from, int64_t count) { return HWY_DYNAMIC_DISPATCH(SumBytesImpl)(from, count); }

}  // namespace quantgate::simulator
#endif  // HWY_ONCE
