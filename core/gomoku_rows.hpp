// What a stone makes in one row of Gomoku: five, an open or simple four, an open three, and so on. Each kind is defined
// by the best kind that one more stone of the colour makes of it, down from five, so no list of patterns is needed.
#pragma once

#include <cstdint>
#include <vector>

namespace zp {

// What a stone on an empty cell would make in one direction, weakest first.
enum class Row : uint8_t {
    kNone,
    kOne,
    kTwo,
    kOpenTwo,    // one more stone makes an open three
    kThree,      // one more stone makes a simple four
    kOpenThree,  // one more stone makes an open four
    kFour,       // one cell completes five
    kOpenFour,   // two cells complete five, so one answer cannot stop it
    kFive,
};
constexpr int kRows = 9;

class RowTable {
  public:
    // Built on first use and shared.
    static const RowTable& get(bool exactly_five);

    // Cells that matter on each side of the stone: the fives through it, and where six do not win one cell more.
    int reach() const { return reach_; }

    // Bit i of `own` and `blocked` is the cell i - reach from the stone, whose own bit is ignored.
    Row at(uint32_t own, uint32_t blocked) const { return kinds_[index(own) << 2 * reach_ | index(blocked)]; }

  private:
    explicit RowTable(bool exactly_five);

    // The window's bits without the one in the middle.
    uint32_t index(uint32_t window) const {
        const uint32_t low = (1u << reach_) - 1;
        return (window & low) | (window >> 1 & low << reach_);
    }
    Row find(uint32_t own, uint32_t blocked);
    bool five(uint32_t own) const;

    bool exactly_five_;
    int reach_;
    std::vector<Row> kinds_;
    std::vector<bool> known_;
};

}  // namespace zp
