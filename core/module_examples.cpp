// Python bindings of the examples of expert moves.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "bindings.hpp"
#include "examples.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace zp {
namespace {

using Boards = Array<const uint64_t, 1>;
using Bytes = Array<const uint8_t, 1>;

// Keeps references to the arrays of a set.
class ExampleSet {
  public:
    ExampleSet(Boards own, Boards opponent, Bytes move, int64_t whole) : own_(own), opponent_(opponent), move_(move) {
        const auto stored = static_cast<int64_t>(own.shape(0));
        if (whole < -1 || whole > stored)
            throw std::invalid_argument("more examples have eight images than are stored");
        stored_ = {own_.data(), checked(opponent_, {stored}), checked(move_, {stored}), stored, whole};
        if (stored_.count() > int64_t{1} << 32) throw std::invalid_argument("a set holds at most 2^32 examples");
    }

    const StoredExamples& stored() const { return stored_; }

  private:
    Boards own_, opponent_;
    Bytes move_;
    StoredExamples stored_;
};

ExampleArrays filled(Array<uint64_t, 1>& own, Array<uint64_t, 1>& opponent, Array<uint8_t, 1>& move, int64_t n) {
    return {checked(own, {n}), checked(opponent, {n}), checked(move, {n})};
}

// A copy of where games begin: increasing, from 0 to the number of all moves.
std::vector<int64_t> copied_games(Array<const int64_t, 1>& array, int64_t moves) {
    std::vector<int64_t> first = copied(array);
    if (first.empty() || first.front() != 0 || first.back() != moves) {
        throw std::invalid_argument("games do not cover all moves");
    }
    if (!std::is_sorted(first.begin(), first.end())) throw std::invalid_argument("games begin in increasing order");
    return first;
}

void bind_set(nb::module_& m) {
    nb::class_<ExampleSet>(m, "ExampleSet", "Examples of expert moves, as they are stored.")
        .def(nb::init<Boards, Boards, Bytes, int64_t>(), "own"_a.noconvert(), "opponent"_a.noconvert(),
             "move"_a.noconvert(), "whole"_a)
        .def("__len__", [](const ExampleSet& set) { return set.stored().count(); })
        .def(
            "take",
            [](const ExampleSet& set, Array<const uint32_t, 1> rows, Array<uint64_t, 1> own,
               Array<uint64_t, 1> opponent, Array<uint8_t, 1> move) {
                const auto n = static_cast<int64_t>(rows.shape(0));
                const ExampleArrays out = filled(own, opponent, move, n);
                const GilReleased released;
                take_examples(set.stored(), rows.data(), n, out);
            },
            "rows"_a.noconvert(), "own"_a.noconvert(), "opponent"_a.noconvert(), "move"_a.noconvert())
        .def(
            "draw",
            [](const ExampleSet& set, Array<const uint32_t, 1> rows, uint64_t order, uint64_t sample, uint64_t images,
               bool replacement, bool symmetries, int64_t begin, Array<uint64_t, 1> own, Array<uint64_t, 1> opponent,
               Array<uint8_t, 1> move) {
                const auto total = static_cast<int64_t>(rows.shape(0)), n = static_cast<int64_t>(own.shape(0));
                if (begin < 0 || begin > total - n) throw std::invalid_argument("a pass does not have as many rows");
                const ExampleArrays out = filled(own, opponent, move, n);
                const GilReleased released;
                const Drawing drawing{rows.data(), total, order, sample, images, replacement, symmetries};
                draw_examples(set.stored(), drawing, begin, n, out);
            },
            "rows"_a.noconvert(), "order"_a, "sample"_a, "images"_a, "replacement"_a, "symmetries"_a, "begin"_a,
            "own"_a.noconvert(), "opponent"_a.noconvert(), "move"_a.noconvert())
        .def(
            "predictable",
            [](const ExampleSet& set, bool symmetric, bool distinct) {
                const GilReleased released;
                return predictable_examples(set.stored(), symmetric, distinct);
            },
            "symmetric"_a, "distinct"_a)
        .def(
            "transcript_keys",
            [](const ExampleSet& set, Array<const int64_t, 1> first, Array<uint64_t, 1> keys) {
                const auto games_first = copied_games(first, set.stored().stored);
                const auto games = static_cast<int64_t>(games_first.size()) - 1;
                uint64_t* keys_data = checked(keys, {games});
                const GilReleased released;
                transcript_keys(set.stored(), games_first.data(), games, keys_data);
            },
            "first"_a.noconvert(), "keys"_a.noconvert())
        .def(
            "split_by_game",
            [](const ExampleSet& set, const ExampleSet& all, Array<const int64_t, 1> first, Bytes tested, int equality,
               Array<uint8_t, 1> side) {
                const auto games_first = copied_games(first, all.stored().stored);
                const auto games = static_cast<int64_t>(games_first.size()) - 1;
                checked(tested, {games});
                const auto is_tested = copied(tested);
                uint8_t* side_data = checked(side, {set.stored().stored});
                if (equality < 0 || equality > 2) throw std::invalid_argument("there are three kinds of equality");
                const auto kind = static_cast<Equality>(equality);
                if (kind == Equality::kPlace && set.stored().stored != all.stored().stored)
                    throw std::invalid_argument("these are not the examples of the games themselves");
                const GilReleased released;
                split_by_game(all.stored(), games_first.data(), is_tested.data(), games, set.stored(), kind, side_data);
            },
            "all"_a, "first"_a.noconvert(), "tested"_a.noconvert(), "equality"_a, "side"_a.noconvert());
}

}  // namespace

void bind_examples(nb::module_& m) {
    bind_set(m);
    m.def(
        "replay_examples",
        [](Bytes moves, Array<const int64_t, 1> first, Boards black, Boards white, Bytes white_first,
           Array<uint64_t, 1> own, Array<uint64_t, 1> opponent, Array<uint8_t, 1> move, Array<int32_t, 1> played) {
            const auto n = static_cast<int64_t>(moves.shape(0));
            const auto games_first = copied_games(first, n);
            const auto games = static_cast<int64_t>(games_first.size()) - 1;
            const Transcripts transcripts{moves.data(),
                                          games_first.data(),
                                          checked(black, {games}),
                                          checked(white, {games}),
                                          checked(white_first, {games}),
                                          games};
            const ExampleArrays out = filled(own, opponent, move, n);
            int32_t* played_data = checked(played, {games});
            const GilReleased released;
            replay_examples(transcripts, out, played_data);
        },
        "moves"_a.noconvert(), "first"_a.noconvert(), "black"_a.noconvert(), "white"_a.noconvert(),
        "white_first"_a.noconvert(), "own"_a.noconvert(), "opponent"_a.noconvert(), "move"_a.noconvert(),
        "played"_a.noconvert());
    m.def(
        "unique_examples",
        [](Array<uint64_t, 1> own, Array<uint64_t, 1> opponent, Array<uint8_t, 1> move, bool orbits) {
            const auto n = static_cast<int64_t>(own.shape(0));
            const ExampleArrays examples = filled(own, opponent, move, n);
            Distinct distinct;
            {
                const GilReleased released;
                distinct = unique_examples(examples, n, orbits);
            }
            return nb::make_tuple(distinct.stored, distinct.whole);
        },
        "own"_a.noconvert(), "opponent"_a.noconvert(), "move"_a.noconvert(), "orbits"_a,
        "Leave the distinct examples at the front of the arrays; returns how many, and how many have eight images.");
    m.def(
        "split_by_position",
        [](uint64_t key, int64_t tests, Array<uint8_t, 1> side) {
            const GilReleased released;
            split_by_position(key, static_cast<int64_t>(side.shape(0)), tests, side.data());
        },
        "key"_a, "tests"_a, "side"_a.noconvert());
    m.def(
        "count_side",
        [](Bytes side, uint8_t wanted) { return count_side(side.data(), static_cast<int64_t>(side.shape(0)), wanted); },
        "side"_a.noconvert(), "wanted"_a);
    m.def(
        "rows_on_side",
        [](Bytes side, uint8_t wanted, Array<uint32_t, 1> rows) {
            const auto n = static_cast<int64_t>(side.shape(0));
            if (n > int64_t{1} << 32) throw std::invalid_argument("a set holds at most 2^32 examples");
            uint32_t* data = checked(rows, {count_side(side.data(), n, wanted)});
            const GilReleased released;
            rows_on_side(side.data(), n, wanted, data, static_cast<int64_t>(rows.shape(0)));
        },
        "side"_a.noconvert(), "wanted"_a, "rows"_a.noconvert());
    m.def(
        "permutation",
        [](uint64_t key, uint64_t n, uint64_t begin, Array<uint64_t, 1> out) {
            if (n > uint64_t{1} << 32 || begin > n || out.shape(0) > n - begin)
                throw std::invalid_argument("a permutation has at most 2^32 places");
            const Permutation permutation(key, n);
            for (size_t i = 0; i < out.shape(0); ++i) out.data()[i] = permutation(begin + i);
        },
        "key"_a, "n"_a, "begin"_a, "out"_a.noconvert());
    m.def(
        "encode_examples",
        [](Boards own, Boards opponent, Bytes black, const std::vector<int>& kinds, Array<float, 3> out) {
            const std::vector<Plane> planes = checked_planes(kinds);
            const int count = static_cast<int>(planes.size());
            const auto n = static_cast<int64_t>(own.shape(0));
            const uint64_t* opponent_data = checked(opponent, {n});
            const bool colours = std::any_of(planes.begin(), planes.end(), shows_colours);
            const uint8_t* black_data = colours ? checked(black, {n}) : nullptr;
            float* data = checked(out, {n, count, 64});
            const GilReleased released;
            encode_examples(own.data(), opponent_data, black_data, n, planes.data(), count, data);
        },
        "own"_a.noconvert(), "opponent"_a.noconvert(), "black"_a.noconvert(), "kinds"_a, "out"_a.noconvert());
}

}  // namespace zp
