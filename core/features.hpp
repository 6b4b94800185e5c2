// Input planes of a net besides the stones (proposed by Schaul and Schmidhuber 2009, section VI): planes
// that turn with the board. They follow from the stones alone.
#pragma once

#include <cstdint>

namespace zp {

enum class Features : int {
    kNone,
    kLiberties,  // own chains with one liberty, with two; opposing chains with one, with two
    kLines,  // share of own stones in the best five in a row through a cell that are free of opposing stones; and so
             // for the opponent
    kMoves,  // where the side to move could play in Othello; where the opponent could
};

int feature_planes(Features kind);

// seen[size * size]: 1 an own stone, 2 an opposing stone, 0 empty. out[planes, size * size].
void fill_features(Features kind, const uint8_t* seen, int size, float* out);

}  // namespace zp
