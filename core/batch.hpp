// Batches of positions: the interface of the core to Python. A `Game` holds the rules, a `Batch` any number of
// positions of one game. Every call works on the whole batch, on several threads; arrays are allocated by the
// caller and row-major, one row per position.
#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "interrupt.hpp"

namespace zp {

enum class Plane : int { kOwn, kOpponent, kBlack, kWhite, kLegal, kMover, kOnes };

// How the children of a position are valued, from the point of view of the side that moves.
enum class ChildValue : int {
    kOutcome,  // 1 if the move wins at once, -1 if it loses at once, else 0
    kDiscs,    // own stones on the board after the move
};

struct Tally {
    int64_t games = 0, plies = 0, black_wins = 0, white_wins = 0;

    void add(const Tally& other) {
        games += other.games;
        plies += other.plies;
        black_wins += other.black_wins;
        white_wins += other.white_wins;
    }
};

class Batch {
  public:
    virtual ~Batch() = default;
    virtual int64_t length() const = 0;
    virtual int size() const = 0;
    virtual int cells() const = 0;

    virtual std::unique_ptr<Batch> select(const int64_t* index, int64_t n) const = 0;
    virtual void assign(const int64_t* index, int64_t n, const Batch& other) = 0;
    virtual std::unique_ptr<Batch> image(int symmetry) const = 0;

    // First position for which the move (a cell; -1 where the game is over) cannot be played, or -1.
    virtual int64_t find_illegal(const int32_t* moves) const = 0;
    // Plays one move in every position; all must be legal, -1 leaves a finished game alone.
    virtual void play(const int32_t* moves) = 0;
    // Sets the history that does not follow from the stones: last_move and passed.
    virtual void remember(const int32_t* last, const uint8_t* passed) = 0;

    virtual void legal(uint8_t* out) const = 0;        // [n, cells]
    virtual void stones(int8_t* out) const = 0;        // [n, cells]: 1 Black, -1 White, 0 empty
    virtual void over(uint8_t* out) const = 0;         // [n]
    virtual void mover(uint8_t* out) const = 0;        // [n]: 0 Black, 1 White
    virtual void score(int32_t* out) const = 0;        // [n]: Black's
    virtual void move_number(int32_t* out) const = 0;  // [n]
    virtual void last_move(int32_t* out) const = 0;    // [n]: cell or -1
    virtual void passed(uint8_t* out) const = 0;       // [n]: whether the side to move moves again
    virtual void captured(int32_t* out) const = 0;     // [n, 2]: stones taken by Black, by White
    virtual void ko(int32_t* out) const = 0;           // [n]: cell or -1
    virtual void liberties(int32_t* out) const = 0;    // [n, cells]: of the chain on each cell, 0 where empty
    virtual void hash(uint64_t* out) const = 0;        // [n]
    virtual void planes(const Plane* kinds, int count, float* out) const = 0;  // [n, count, cells]

    // A value for every legal move, -inf elsewhere: [n, cells].
    virtual void child_values(ChildValue kind, float* out) const = 0;
    // Weighted piece counter: sum of weights[cell] over own stones less that over opposing ones, after each move.
    virtual void child_weights(const float* weights, float* out) const = 0;
    // One position, for nets: seen[cells] is 1 where the side to move has a stone, 2 where the other side has, else 0.
    virtual void seen(int64_t position, uint8_t* out) const = 0;
    // One position: copies values[cells] of legal moves, -inf elsewhere.
    virtual void mask_illegal(int64_t position, const float* values, float* out) const = 0;
    // All positions after one move from positions begin to end; adds for each the position it comes from and its move.
    virtual std::unique_ptr<Batch> children(int64_t begin, int64_t end, std::vector<int64_t>& parents,
                                            std::vector<int32_t>& moves) const = 0;
    // A legal move drawn uniformly, -1 where the game is over.
    virtual void random_moves(const uint64_t* keys, int32_t* out) const = 0;
};

class Game {
  public:
    virtual ~Game() = default;
    virtual int size() const = 0;
    virtual std::unique_ptr<Batch> start(int64_t n) const = 0;
    // Positions from stones[n, cells] (1, -1, 0), mover[n] (0, 1), captured[n, 2], ko[n] (cell or -1).
    virtual std::unique_ptr<Batch> make(const int8_t* stones, const uint8_t* mover, const int32_t* captured,
                                        const int32_t* ko, int64_t n) const = 0;
    virtual uint64_t perft(const Batch& position, int depth, Interrupt* interrupt) const = 0;
    // Plays whole random games from the start; game i draws from derive(key, i).
    virtual Tally random_games(uint64_t key, int64_t games, Interrupt* interrupt) const = 0;
};

// An impossible position; `row` is its index in the batch.
struct BadPosition : std::invalid_argument {
    BadPosition(int64_t row, const std::string& why) : std::invalid_argument(why), row(row) {}
    int64_t row;
};

std::shared_ptr<Game> make_othello(int size);
std::shared_ptr<Game> make_gomoku(int size, bool exactly_five);
std::shared_ptr<Game> make_hex(int size, bool swap);
std::shared_ptr<Game> make_atarigo(int size, int captures, bool suicide_loses);

}  // namespace zp
