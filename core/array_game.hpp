// Games whose rules are functions on arrays, such as NumPy code. A position is its stones and the side to move, and
// every move adds one stone; all else follows from one function that moves in many positions at once.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "batch.hpp"

namespace zp {

// n positions before a move; the rules replace all but `cells` and `moves` by what holds after it.
struct ArrayRows {
    int64_t n = 0;
    int cells = 0;
    std::vector<int32_t> moves = {};   // [n]: cell, or -1 to make no move and fill in the rest
    std::vector<int8_t> stones = {};   // [n, cells]: 1 Black, -1 White, 0 empty
    std::vector<uint8_t> mover = {};   // [n]: 0 Black, 1 White
    std::vector<uint8_t> passed = {};  // [n]: whether the side to move moves again
    std::vector<uint8_t> legal = {};   // [n, cells]: nowhere if the game is over
    std::vector<int32_t> score = {};   // [n]: Black's
};

// May be called by any thread, also by several at once.
using ArrayAdvance = std::function<void(ArrayRows&)>;

// The rules are called once here, for the start.
std::shared_ptr<Game> make_array_game(int size, const int8_t* start, ArrayAdvance advance);

}  // namespace zp
