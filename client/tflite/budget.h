// A limit on what the import of one model may take. Tables of a flatbuffer can share what they point to, so a small
// file can ask for any number of copies.
#ifndef QUANTGATE_CLIENT_TFLITE_BUDGET_H_
#define QUANTGATE_CLIENT_TFLITE_BUDGET_H_

#include <cstdint>

namespace quantgate::tflite {

class Budget {
 public:
  explicit Budget(int64_t limit) : limit_(limit), left_(limit) {}

  // false: that is more than is left; nothing is taken.
  bool Take(int64_t amount) {
    if (amount > left_) {
      exceeded_ = true;
      return false;
    }
    left_ -= amount;
    return true;
  }
  // Something was asked for and not given.
  bool exceeded() const { return exceeded_; }
  int64_t limit() const { return limit_; }

 private:
  int64_t limit_;
  int64_t left_;
  bool exceeded_ = false;
};

}  // namespace quantgate::tflite

#endif  // QUANTGATE_CLIENT_TFLITE_BUDGET_H_
