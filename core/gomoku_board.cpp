#include "gomoku_board.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>

#include "chance.hpp"

namespace zp {
namespace {

// What a row is worth to the side that could make it, by Row.
constexpr std::array<int16_t, kRows> kWorth = {0, 0, 3, 9, 8, 30, 30, 90, 200};

// Three bits each: open threes, fours, open fours, fives among the four rows of a cell.
constexpr std::array<uint16_t, kRows> kTally = {0, 0, 0, 0, 0, 1, 1 << 3, 1 << 6, 1 << 9};

// What a cell is worth to move to, beyond its rows.
constexpr std::array<int, kThreats> kOwnUrge = {0, 30, 150, 40, 600, 1000, 4000};
constexpr std::array<int, kThreats> kOtherUrge = {0, 20, 100, 20, 400, 700, 3000};

Threat threat_of(uint16_t tally) {
    const int threes = tally & 7, fours = tally >> 3 & 7;
    if (tally >> 9) return Threat::kFive;
    if (tally >> 6 || fours >= 2) return Threat::kOpenFour;
    if (fours == 1) return threes > 0 ? Threat::kFourThree : Threat::kFour;
    return threes >= 2 ? Threat::kDoubleThree : threes == 1 ? Threat::kOpenThree : Threat::kQuiet;
}

uint64_t stone_key(int cell, int colour) { return mix(kGolden * static_cast<uint64_t>(2 * cell + colour + 1)); }

}  // namespace

GomokuBoard::GomokuBoard(int size, bool exactly_five, const int8_t* stones)
    : table_(RowTable::get(exactly_five)),
      size_(size),
      cells_(size * size),
      reach_(table_.reach()),
      steps_{1, size, size + 1, 1 - size} {
    for (int cell = 0; cell < cells_; ++cell) {
        const int row = cell / size, column = cell % size;
        const std::array<int, 4> lines = {row, column, row - column + size - 1, row + column};
        for (int d = 0; d < 4; ++d) {
            const int at = (d == 1 ? row : column) + reach_;
            places_[cell][d] = {static_cast<uint8_t>(lines[d]), static_cast<uint8_t>(at)};
            inside_[d][lines[d]] |= 1u << at;
        }
    }
    for (int cell = 0; cell < cells_; ++cell) {
        for (int colour = 0; colour < 2; ++colour) {
            for (int d = 0; d < 4; ++d) set_row(cell, colour, d, row(cell, colour, d));
        }
    }
    for (int cell = 0; cell < cells_; ++cell) {
        if (stones[cell] != 0) place(cell, stones[cell] > 0 ? 0 : 1);
    }
}

void GomokuBoard::place(int cell, int colour) {
    for (int c = 0; c < 2; ++c) set_threat(cell, c, Threat::kQuiet);
    count_fives(cell, colour, 1);
    board_[cell].stone = static_cast<int8_t>(colour);
    key_ ^= stone_key(cell, colour);
    ++stones_;
    for (int d = 0; d < 4; ++d) {
        const Place place = places_[cell][d];
        lines_[colour][d][place.line] |= 1u << place.at;
        update_rows(cell, d);
    }
}

void GomokuBoard::remove(int cell) {
    const int colour = board_[cell].stone;
    for (int d = 0; d < 4; ++d) {
        const Place place = places_[cell][d];
        lines_[colour][d][place.line] &= ~(1u << place.at);
        update_rows(cell, d);
    }
    board_[cell].stone = -1;
    count_fives(cell, colour, -1);
    key_ ^= stone_key(cell, colour);
    --stones_;
    for (int c = 0; c < 2; ++c) {
        Side& side = board_[cell].side[c];
        side.tally = 0;
        side.worth = 0;
        side.rows = {};
        for (int d = 0; d < 4; ++d) set_row(cell, c, d, row(cell, c, d));
    }
}

// The evaluation `lines`: fives that hold stones of one colour only, more the more stones there are.
void GomokuBoard::count_fives(int cell, int colour, int by) {
    constexpr std::array<int, 6> kFiveWorth = {0, 1, 8, 50, 300, 0};
    for (int d = 0; d < 4; ++d) {
        const Place place = places_[cell][d];
        const uint32_t line = inside_[d][place.line];
        const int first = std::countr_zero(line), last = 31 - std::countl_zero(line);
        auto& own = fives_[colour][d];
        const auto& other = fives_[colour ^ 1][d];
        for (int start = std::max(first, place.at - 4); start <= std::min<int>(place.at, last - 4); ++start) {
            const int five = cell + steps_[d] * (start - place.at);
            const int before = own[five], now = before + by;
            own[five] = static_cast<int8_t>(now);
            if (other[five] == 0) {
                worth_[colour] += kFiveWorth[now] - kFiveWorth[before];
            } else if (before == 0) {
                worth_[colour ^ 1] -= kFiveWorth[other[five]];
            } else if (now == 0) {
                worth_[colour ^ 1] += kFiveWorth[other[five]];
            }
        }
    }
}

Row GomokuBoard::row(int cell, int colour, int direction) const {
    const Place place = places_[cell][direction];
    const uint32_t own = lines_[colour][direction][place.line];
    const uint32_t blocked = lines_[colour ^ 1][direction][place.line] | ~inside_[direction][place.line];
    const uint32_t window = (1u << (2 * reach_ + 1)) - 1;
    const int low = place.at - reach_;
    return table_.at(own >> low & window, blocked >> low & window);
}

// The rows of empty cells near `cell` in a direction.
void GomokuBoard::update_rows(int cell, int direction) {
    const Place place = places_[cell][direction];
    const uint32_t stones = lines_[0][direction][place.line] | lines_[1][direction][place.line];
    const uint32_t near = ((1u << (2 * reach_ + 1)) - 1) << (place.at - reach_) & ~(1u << place.at);
    for (uint32_t rest = inside_[direction][place.line] & ~stones & near; rest != 0; rest &= rest - 1) {
        const int other = cell + steps_[direction] * (std::countr_zero(rest) - place.at);
        for (int colour = 0; colour < 2; ++colour) {
            const Row now = row(other, colour, direction);
            if (now != board_[other].side[colour].rows[direction]) set_row(other, colour, direction, now);
        }
    }
}

void GomokuBoard::set_row(int cell, int colour, int direction, Row row) {
    Side& side = board_[cell].side[colour];
    const auto before = static_cast<size_t>(side.rows[direction]), now = static_cast<size_t>(row);
    side.rows[direction] = row;
    side.tally = static_cast<uint16_t>(side.tally + kTally[now] - kTally[before]);
    side.worth = static_cast<int16_t>(side.worth + kWorth[now] - kWorth[before]);
    set_threat(cell, colour, threat_of(side.tally));
}

void GomokuBoard::set_threat(int cell, int colour, Threat threat) {
    Threat& now = board_[cell].side[colour].threat;
    if (now == threat) return;
    const auto change = [&](int by) {
        const auto kind = static_cast<size_t>(now);
        if (now == Threat::kQuiet) return;
        counts_[colour][kind] += by;
        by > 0 ? sets_[colour][kind].set(cell) : sets_[colour][kind].reset(cell);
    };
    change(-1);
    now = threat;
    change(1);
}

int GomokuBoard::win(int colour) const {
    return count(colour, Threat::kFive) > 0 ? with(colour, Threat::kFive).first() : -1;
}

int GomokuBoard::sure_threat(int colour) const {
    return count(colour, Threat::kOpenFour) > 0 ? with(colour, Threat::kOpenFour).first() : -1;
}

Answer GomokuBoard::answer(int colour) const {
    const int fives = count(colour ^ 1, Threat::kFive);
    if (fives == 0) return {};
    if (fives > 1) return {Answer::kLost, -1};
    return {Answer::kForced, with(colour ^ 1, Threat::kFive).first()};
}

void GomokuBoard::forcing(int colour, Moves& moves) const {
    for (const Threat threat : {Threat::kFourThree, Threat::kFour}) {
        with(colour, threat).for_each([&](int cell) {
            const auto& side = board_[cell].side;
            moves.push_back({cell, side[colour].worth + side[colour ^ 1].worth / 2 + 1000 * static_cast<int>(threat)});
        });
    }
    sort_cells(moves);
}

void GomokuBoard::threes(int colour, Moves& moves) const {
    for (const Threat threat : {Threat::kDoubleThree, Threat::kOpenThree}) {
        with(colour, threat).for_each([&](int cell) {
            const auto& side = board_[cell].side;
            moves.push_back({cell, side[colour].worth + side[colour ^ 1].worth / 2 + 1000 * static_cast<int>(threat)});
        });
    }
    sort_cells(moves);
}

// The other side threatens an open four: only the cells of its fives, or a four of our own, can stop it.
bool GomokuBoard::defences(int colour, Moves& moves) {
    const int other = colour ^ 1, open = sure_threat(other);
    if (open < 0) return false;
    Set cells = with(colour, Threat::kFour) | with(colour, Threat::kFourThree) | with(colour, Threat::kOpenFour);
    place(open, other);
    cells = cells | with(other, Threat::kFive);
    remove(open);
    cells.set(open);
    cells.for_each([&](int cell) {
        const auto& side = board_[cell].side;
        moves.push_back(
            {cell, side[colour].worth + side[other].worth + kOtherUrge[static_cast<int>(side[other].threat)]});
    });
    sort_cells(moves);
    return true;
}

void GomokuBoard::candidates(int colour, Moves& moves, size_t most) const {
    for (int cell = 0; cell < cells_; ++cell) {
        if (!empty(cell)) continue;
        const Side& own = board_[cell].side[colour];
        const Side& other = board_[cell].side[colour ^ 1];
        if (own.worth + other.worth == 0) continue;
        moves.push_back({cell, 3 * own.worth + 2 * other.worth + kOwnUrge[static_cast<int>(own.threat)] +
                                   kOtherUrge[static_cast<int>(other.threat)]});
    }
    if (moves.empty()) {  // the first move, or nothing left to make
        for (int cell = 0; cell < cells_; ++cell) {
            const int away = std::abs(2 * (cell / size_) - size_ + 1) + std::abs(2 * (cell % size_) - size_ + 1);
            if (empty(cell)) moves.push_back({cell, -away});
        }
    }
    sort_cells(moves, most);
}

}  // namespace zp
