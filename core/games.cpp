// The games at the board widths they need: one word up to 7x7 (8x8 for Othello), two up to 10x10, six up to
// 19x19, and seven for Gomoku on 20x20.
#include <string>

#include "atarigo.hpp"
#include "batch_of.hpp"
#include "gomoku.hpp"
#include "hex.hpp"
#include "othello.hpp"

namespace zp {
namespace {

void require(bool condition, const char* what) {
    if (!condition) throw std::invalid_argument(what);
}

template <template <int> class R, class... Args>
std::shared_ptr<Game> by_width(int size, Args... args) {
    const int bits = size * (size + 1);
    if (bits <= 64) return std::make_shared<GameOf<R<1>>>(size, args...);
    if (bits <= 128) return std::make_shared<GameOf<R<2>>>(size, args...);
    return std::make_shared<GameOf<R<6>>>(size, args...);
}

}  // namespace

std::shared_ptr<Game> make_othello(int size) {
    require(size >= 4 && size <= 16 && size % 2 == 0, "othello is played on even sizes from 4 to 16");
    if (size <= 8) return std::make_shared<GameOf<Othello>>(size);
    if (size == 10) return std::make_shared<GameOf<LargeOthello<2>>>(size);
    return std::make_shared<GameOf<LargeOthello<6>>>(size);
}

std::shared_ptr<Game> make_gomoku(int size, bool exactly_five) {
    require(size >= 5 && size <= 20, "gomoku is played on sizes from 5 to 20");
    if (size == 20) return std::make_shared<GameOf<Gomoku<7>>>(size, exactly_five);
    return by_width<Gomoku>(size, exactly_five);
}

std::shared_ptr<Game> make_hex(int size, bool swap) {
    require(size >= 3 && size <= 19, "hex is played on sizes from 3 to 19");
    return by_width<Hex>(size, swap);
}

std::shared_ptr<Game> make_atarigo(int size, int captures, bool suicide_loses) {
    require(size >= 5 && size <= 19, "atarigo is played on sizes from 5 to 19");
    require(captures >= 1 && captures <= 1000, "captures must be from 1 to 1000");
    return by_width<AtariGo>(size, captures, suicide_loses);
}

}  // namespace zp
