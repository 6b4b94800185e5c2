// A Gomoku board that knows at every moment what a stone of either colour would make on each empty cell. A stone
// changes only the rows through it, so all threats and the evaluation are updated in a fraction of a microsecond.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "bits.hpp"
#include "forcing.hpp"
#include "gomoku_rows.hpp"

namespace zp {

// What a stone on an empty cell would make in all four directions together, weakest first.
enum class Threat : uint8_t {
    kQuiet,
    kOpenThree,
    kDoubleThree,
    kFour,
    kFourThree,  // a simple four and an open three
    kOpenFour,   // or two fours: cannot be stopped by one stone
    kFive,
};
constexpr int kThreats = 7;

class GomokuBoard {
  public:
    static constexpr int kMostCells = 400;
    using Set = Bits<7>;  // by cell

    // stones[cells]: 1 Black, -1 White, 0 empty.
    GomokuBoard(int size, bool exactly_five, const int8_t* stones);

    int cells() const { return cells_; }
    int stones() const { return stones_; }
    bool full() const { return stones_ == cells_; }
    bool empty(int cell) const { return board_[cell].stone < 0; }
    uint64_t key() const { return key_; }

    void place(int cell, int colour);
    void remove(int cell);

    Threat threat(int colour, int cell) const { return board_[cell].side[colour].threat; }
    int count(int colour, Threat threat) const { return counts_[colour][static_cast<int>(threat)]; }
    const Set& with(int colour, Threat threat) const { return sets_[colour][static_cast<int>(threat)]; }

    // See forcing.hpp.
    int win(int colour) const;
    int sure_threat(int colour) const;
    Answer answer(int colour) const;
    int hold_out(int colour) const { return win(colour ^ 1); }
    bool can_force(int colour) const { return count(colour, Threat::kFour) + count(colour, Threat::kFourThree) > 0; }
    void forcing(int colour, Moves& moves) const;
    bool defences(int colour, Moves& moves);
    void candidates(int colour, Moves& moves, size_t most) const;
    int value(int colour) const { return (12 * worth_[colour] - 10 * worth_[colour ^ 1]) / 10; }  // it is our turn

    // Threes of VCT: cells where a stone makes an open three without a four.
    void threes(int colour, Moves& moves) const;

    static constexpr size_t kWidth = 16;            // moves searched at inner nodes,
    static constexpr size_t kLastWidth = 12;        // at the last ply,
    static constexpr size_t kRootWidth = 40;        // and at the root
    static constexpr size_t kReduced = 4;           // the first move that is searched less deep
    static constexpr uint64_t kInnerForcing = 100;  // nodes of the solver at inner nodes,
    static constexpr uint64_t kLeafForcing = 30;    // and at leaves

  private:
    struct Side {
        std::array<Row, 4> rows{};
        uint16_t tally = 0;  // its rows by kind, see kTally in the source
        int16_t worth = 0;
        Threat threat = Threat::kQuiet;
    };
    struct Cell {
        int8_t stone = -1;  // colour or -1
        Side side[2];
    };
    struct Place {
        uint8_t line, at;  // the line through a cell in one direction, and the cell's bit in it
    };

    void count_fives(int cell, int colour, int by);
    void update_rows(int cell, int direction);
    void set_row(int cell, int colour, int direction, Row row);
    void set_threat(int cell, int colour, Threat threat);
    Row row(int cell, int colour, int direction) const;

    const RowTable& table_;
    int size_, cells_, stones_ = 0;
    int reach_;
    std::array<int, 4> steps_;
    uint64_t key_ = 0;
    std::array<Cell, kMostCells> board_;
    std::array<std::array<Place, 4>, kMostCells> places_;
    std::array<std::array<std::array<uint32_t, 40>, 4>, 2> lines_{};  // stones by colour, direction and line
    std::array<std::array<uint32_t, 40>, 4> inside_{};                // the cells of each line
    std::array<std::array<Set, kThreats>, 2> sets_{};
    std::array<std::array<int, kThreats>, 2> counts_{};
    std::array<std::array<std::array<int8_t, kMostCells>, 4>, 2> fives_{};  // stones of each five, by its first cell
    std::array<int, 2> worth_{};                                            // of fives open to a colour
};

}  // namespace zp
