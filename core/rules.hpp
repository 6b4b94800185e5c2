// The requirements on a game in the core. A rules object is immutable and shared; a state is a small value that is
// copied freely. Batches, perft, random games and (above them) players and search are templates over this concept.
#pragma once

#include <concepts>
#include <cstdint>

#include "bits.hpp"
#include "chance.hpp"
#include "geometry.hpp"

namespace zp {

enum Colour : int { kBlack = 0, kWhite = 1 };

// A position as a board string describes it.
template <int W>
struct Setup {
    Bits<W> stones[2];         // by colour
    int mover = kBlack;        // colour on turn
    int captured[2] = {0, 0};  // stones captured so far, by the colour that took them
    int ko = -1;               // bit where the colour on turn may not play, or -1
};

// Fields every state has. `last` is the bit of the last move, or -1; `passed` says that the side to move moves again
// because its opponent had to pass.
struct StateBase {
    uint8_t mover = kBlack;
    bool over = false;
    bool passed = false;
    int16_t last = -1;
};

template <class R>
concept Rules = std::derived_from<typename R::State, StateBase> &&
                requires(const R rules, const typename R::State state, typename R::State changed, int number) {
                    { rules.geometry } -> std::convertible_to<const Geometry<R::kWords>&>;
                    { rules.start() } -> std::same_as<typename R::State>;
                    // Legal moves; empty exactly when the game is over.
                    { rules.legal(state) } -> std::same_as<Bits<R::kWords>>;
                    // Plays a legal move, makes forced passes, notices the end.
                    { rules.play(changed, number) } -> std::same_as<void>;
                    // Black's result: disc difference in Othello, else 1 win, 0 draw (or not over), -1 loss.
                    { rules.score(state) } -> std::same_as<int>;
                    { rules.move_number(state) } -> std::same_as<int>;
                    // The state of a given position; throws std::invalid_argument if there can be no such position.
                    { rules.make(Setup<R::kWords>{}) } -> std::same_as<typename R::State>;
                    { rules.setup(state) } -> std::same_as<Setup<R::kWords>>;
                };

// Equal positions (stones, side to move, captures, ko) hash equal, however they were reached.
template <Rules R>
uint64_t hash(const R& rules, const typename R::State& state) {
    const auto position = rules.setup(state);
    uint64_t h = mix(static_cast<uint64_t>(position.mover) + 1);
    for (const auto& stones : position.stones) {
        for (const uint64_t word : stones.word) h = derive(h, word);
    }
    h = derive(h, static_cast<uint64_t>(position.captured[0]) << 32 | static_cast<uint32_t>(position.captured[1]));
    return derive(h, static_cast<uint64_t>(position.ko + 1));
}

}  // namespace zp
