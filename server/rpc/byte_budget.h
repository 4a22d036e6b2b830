// Bounds the bytes that all requests together may hold.
#ifndef QUANTGATE_SERVER_RPC_BYTE_BUDGET_H_
#define QUANTGATE_SERVER_RPC_BYTE_BUDGET_H_

#include <atomic>
#include <cstdint>
#include <utility>

namespace quantgate::server {

class ByteBudget {
 public:
  explicit ByteBudget(int64_t limit) : limit_(limit) {}

  // The part one request holds; given back on destruction at the latest.
  class Share {
   public:
    explicit Share(ByteBudget& budget) : budget_(&budget) {}
    ~Share() { GiveBack(); }
    Share(const Share&) = delete;
    Share& operator=(const Share&) = delete;
    // false: the budget is exhausted; the share stays as it was.
    bool Grow(int64_t bytes) {
      if (budget_->used_.fetch_add(bytes) + bytes > budget_->limit_) {
        budget_->used_ -= bytes;
        return false;
      }
      bytes_ += bytes;
      return true;
    }

    // Afterwards the share does not refer to the budget any more, as long as it does not grow.
    void GiveBack() {
      if (bytes_ != 0) budget_->used_ -= std::exchange(bytes_, 0);
    }

   private:
    ByteBudget* budget_;
    int64_t bytes_ = 0;
  };

 private:
  const int64_t limit_;
  std::atomic<int64_t> used_{0};
};

}  // namespace quantgate::server

#endif  // QUANTGATE_SERVER_RPC_BYTE_BUDGET_H_
