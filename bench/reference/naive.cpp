// Azul: Summer Pavilion the plain way, as a yardstick: 2 players, coloured side, uniformly random
// games. Written from part A of the rules specification with arrays and a list of moves that is
// built anew for every decision (keep_policy maximal); nothing is packed, cached or skipped.
//
//     naive GAMES SEED     prints: games, seconds of processor time, decisions, points by seat

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <random>
#include <vector>

namespace {

constexpr int COLOURS = 6, SITES = 7, POSITIONS = 6, PLAYERS = 2, DISPLAYS = 5;
constexpr int CENTRE_STAR = 6, CENTRE = DISPLAYS, EMPTY = -1;
constexpr int SITE_COLOUR[6] = {0, 2, 5, 4, 3, 1};           // W NW NE E SE SW: P O R B Y G
constexpr int STAR_POINTS[COLOURS] = {20, 18, 17, 16, 15, 14};
constexpr int NUMBER_POINTS[5] = {0, 4, 8, 12, 16};

using Tiles = std::array<int, COLOURS>;

int size(const Tiles& tiles) {
    int sum = 0;
    for (int n : tiles) sum += n;
    return sum;
}

struct Space { int site, position; };                         // position 1-6
struct Feature {
    int tiles;
    std::array<Space, 4> spaces;
    int count;
    bool has(int site, int position) const {
        for (int i = 0; i < count; ++i)
            if (spaces[i].site == site && spaces[i].position == position) return true;
        return false;
    }
};

std::vector<Feature> make_features() {                        // A3.3
    std::vector<Feature> features;
    for (int k = 0; k < 6; ++k) {
        const int a = (k + 4) % 6 + 1, b = (k + 5) % 6 + 1, next = (k + 1) % 6;
        features.push_back({1, {{{k, 2}, {k, 3}, {CENTRE_STAR, a}, {CENTRE_STAR, b}}}, 4});
        features.push_back({2, {{{k, 1}, {k, 2}, {next, 3}, {next, 4}}}, 4});
        features.push_back({3, {{{k, 5}, {k, 6}, {0, 0}, {0, 0}}}, 2});
    }
    return features;
}

const std::vector<Feature> FEATURES = make_features();

struct Seat {
    int score = 5;
    Tiles hand{}, kept{};
    bool passed = false;
    int board[SITES][POSITIONS + 1];                          // colour or EMPTY, by position
    Seat() {
        for (auto& star : board) std::fill(star, star + POSITIONS + 1, EMPTY);
    }
    bool covers(const Feature& feature) const {
        for (int i = 0; i < feature.count; ++i)
            if (board[feature.spaces[i].site][feature.spaces[i].position] == EMPTY) return false;
        return true;
    }
};

enum Kind { DRAFT, PLACE, BONUS, PASS };

struct Move {
    Kind kind;
    int source, colour, site, position, own;
    Tiles tiles;                                              // taken (bonus) or kept (pass)
};

class Game {
  public:
    explicit Game(std::mt19937_64& random, int starter) : random_(random), start_(starter) {
        for (int c = 0; c < COLOURS; ++c) bag_.insert(bag_.end(), 22, c);
        top_up();
        deal();
        mover_ = start_;
    }

    bool over() const { return over_; }
    int score(int seat) const { return seats_[seat].score; }

    void legal_moves(std::vector<Move>& out) const {
        out.clear();
        if (bonus_due_) {
            Tiles chosen{};
            subsets(supply_, bonus_due_, 0, chosen, BONUS, out);
        } else if (drafting_) {
            for (int s = 0; s <= CENTRE; ++s) drafts(s, out);
        } else {
            placements(out);
            passes(out);
        }
    }

    void apply(const Move& move) {
        switch (move.kind) {
            case DRAFT: draft(move); break;
            case PLACE: place(move); break;
            case BONUS: take_bonus(move); break;
            case PASS: pass(move); break;
        }
    }

  private:
    int wild() const { return round_ - 1; }

    // ------------------------------------------------------------------ moves

    void drafts(int source, std::vector<Move>& out) const {   // A6.1
        const Tiles& tiles = source == CENTRE ? centre_ : displays_[source];
        bool others = false;
        for (int c = 0; c < COLOURS; ++c) {
            if (c == wild() || tiles[c] == 0) continue;
            others = true;
            out.push_back({DRAFT, source, c, 0, 0, 0, {}});
        }
        if (!others && tiles[wild()] > 0) out.push_back({DRAFT, source, wild(), 0, 0, 0, {}});
    }

    void placements(std::vector<Move>& out) const {           // A7.2, A7.3
        const Seat& seat = seats_[mover_];
        for (int site = 0; site < CENTRE_STAR; ++site)
            if (seat.hand[SITE_COLOUR[site]] > 0) star(seat, site, SITE_COLOUR[site], out);
        for (int c = 0; c < COLOURS; ++c)
            if (seat.hand[c] > 0 && !in_centre_star(seat, c)) star(seat, CENTRE_STAR, c, out);
    }

    void star(const Seat& seat, int site, int colour, std::vector<Move>& out) const {
        for (int position = 1; position <= POSITIONS; ++position)
            if (seat.board[site][position] == EMPTY) payments(seat, site, position, colour, out);
    }

    static bool in_centre_star(const Seat& seat, int colour) {
        for (int position = 1; position <= POSITIONS; ++position)
            if (seat.board[CENTRE_STAR][position] == colour) return true;
        return false;
    }

    void payments(const Seat& seat, int site, int position, int c, std::vector<Move>& out) const {
        const int cost = position, have = seat.hand[c], wilds = seat.hand[wild()];
        if (c == wild()) {
            if (have >= cost) out.push_back({PLACE, 0, c, site, position, cost, {}});
            return;
        }
        for (int own = std::max(1, cost - wilds); own <= std::min(cost, have); ++own)
            out.push_back({PLACE, 0, c, site, position, own, {}});
    }

    void passes(std::vector<Move>& out) const {               // A7.8, A7.9
        Tiles kept{};
        if (round_ == 6) {
            out.push_back({PASS, 0, 0, 0, 0, 0, kept});
            return;
        }
        const Tiles& hand = seats_[mover_].hand;
        subsets(hand, std::min(4, size(hand)), 0, kept, PASS, out);
    }

    static void subsets(const Tiles& from, int left, int colour, Tiles& chosen, Kind kind,
                        std::vector<Move>& out) {
        if (left == 0) {
            out.push_back({kind, 0, 0, 0, 0, 0, chosen});
            return;
        }
        if (colour == COLOURS) return;
        for (int n = std::min(left, from[colour]); n >= 0; --n) {
            chosen[colour] = n;
            subsets(from, left - n, colour + 1, chosen, kind, out);
        }
        chosen[colour] = 0;
    }

    // ----------------------------------------------------------------- playing

    void draft(const Move& move) {                            // A6.2, A6.3
        Tiles& tiles = move.source == CENTRE ? centre_ : displays_[move.source];
        Seat& seat = seats_[mover_];
        int taken = 0;
        if (move.colour != wild()) {
            taken = tiles[move.colour];
            seat.hand[move.colour] += taken;
            tiles[move.colour] = 0;
        }
        if (tiles[wild()] > 0) {
            --tiles[wild()];
            ++seat.hand[wild()];
            ++taken;
        }
        if (move.source == CENTRE) {
            if (token_ == EMPTY) {
                token_ = mover_;
                seat.score = std::max(1, seat.score - taken);
            }
        } else {
            for (int c = 0; c < COLOURS; ++c) centre_[c] += tiles[c];
            tiles = {};
        }
        mover_ = (mover_ + 1) % PLAYERS;
        drafting_ = size(centre_) > 0;
        for (const Tiles& display : displays_) drafting_ = drafting_ || size(display) > 0;
        if (!drafting_) mover_ = token_ == EMPTY ? start_ : token_;
    }

    void place(const Move& move) {                            // A7.3 to A7.6
        Seat& seat = seats_[mover_];
        const int cost = move.position, wilds = cost - move.own;
        seat.hand[move.colour] -= move.own;
        seat.hand[wild()] -= wilds;
        tower_.insert(tower_.end(), move.own - 1, move.colour);
        tower_.insert(tower_.end(), wilds, wild());
        seat.board[move.site][move.position] = move.colour;
        int due = 0;
        for (const Feature& feature : FEATURES)
            if (feature.has(move.site, move.position) && seat.covers(feature)) due += feature.tiles;
        seat.score += chain(seat.board[move.site], move.position);
        bonus_due_ = std::min(due, size(supply_));
        if (bonus_due_ == 0) end_turn();
    }

    static int chain(const int* star, int position) {         // A7.4
        int length = 1;
        for (int p = position % 6 + 1; p != position && star[p] != EMPTY; p = p % 6 + 1) ++length;
        if (length == 6) return 6;
        for (int p = (position + 4) % 6 + 1; star[p] != EMPTY; p = (p + 4) % 6 + 1) ++length;
        return length;
    }

    void take_bonus(const Move& move) {
        for (int c = 0; c < COLOURS; ++c) {
            supply_[c] -= move.tiles[c];
            seats_[mover_].hand[c] += move.tiles[c];
        }
        bonus_due_ = 0;
        end_turn();
    }

    void pass(const Move& move) {                             // A7.8
        Seat& seat = seats_[mover_];
        int lost = 0;
        for (int c = 0; c < COLOURS; ++c) {
            const int gone = seat.hand[c] - move.tiles[c];
            tower_.insert(tower_.end(), gone, c);
            lost += gone;
        }
        seat.score = std::max(1, seat.score - lost);
        seat.hand = {};
        seat.kept = move.tiles;
        seat.passed = true;
        end_turn();
    }

    void end_turn() {                                         // A7.1, A7.7
        top_up();
        for (int i = 0; i < PLAYERS; ++i) {
            mover_ = (mover_ + 1) % PLAYERS;
            if (!seats_[mover_].passed) return;
        }
        if (round_ == 6) finish();
        else next_round();
    }

    void next_round() {                                       // A8
        ++round_;
        deal();
        if (token_ != EMPTY) start_ = token_;
        token_ = EMPTY;
        for (Seat& seat : seats_) {
            seat.hand = seat.kept;
            seat.kept = {};
            seat.passed = false;
        }
        mover_ = start_;
    }

    void finish() {                                           // A10
        over_ = true;
        for (Seat& seat : seats_) {
            for (int site = 0; site < SITES; ++site) {
                bool full = true;
                for (int p = 1; p <= POSITIONS; ++p) full = full && seat.board[site][p] != EMPTY;
                if (full) seat.score += site == CENTRE_STAR ? 12 : STAR_POINTS[SITE_COLOUR[site]];
            }
            for (int number = 1; number <= 4; ++number) {
                bool full = true;
                for (auto& star : seat.board) full = full && star[number] != EMPTY;
                if (full) seat.score += NUMBER_POINTS[number];
            }
        }
    }

    // ----------------------------------------------------------------- drawing

    int draw() {                                              // A9
        if (bag_.empty()) bag_.swap(tower_);
        if (bag_.empty()) return EMPTY;
        std::uniform_int_distribution<std::size_t> pick(0, bag_.size() - 1);
        std::swap(bag_[pick(random_)], bag_.back());
        const int colour = bag_.back();
        bag_.pop_back();
        return colour;
    }

    void top_up() {
        for (int left = 10 - size(supply_); left > 0; --left) {
            const int colour = draw();
            if (colour == EMPTY) return;
            ++supply_[colour];
        }
    }

    void deal() {
        drafting_ = false;
        for (Tiles& display : displays_) {
            display = {};
            for (int i = 0; i < 4; ++i) {
                const int colour = draw();
                if (colour == EMPTY) break;
                ++display[colour];
                drafting_ = true;
            }
        }
    }

    std::mt19937_64& random_;
    std::vector<int> bag_, tower_;
    std::array<Tiles, DISPLAYS> displays_{};
    Tiles centre_{}, supply_{};
    std::array<Seat, PLAYERS> seats_;
    int round_ = 1, start_, mover_ = 0, token_ = EMPTY, bonus_due_ = 0;
    bool drafting_ = false, over_ = false;
};

}  // namespace

int main(int argc, char** argv) {
    const long games = argc > 1 ? std::atol(argv[1]) : 10000;
    std::mt19937_64 random(argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1);
    std::vector<Move> moves;
    long plies = 0, points[PLAYERS] = {0, 0};
    const std::clock_t started = std::clock();
    for (long i = 0; i < games; ++i) {
        Game game(random, static_cast<int>(i % PLAYERS));
        while (!game.over()) {
            game.legal_moves(moves);
            std::uniform_int_distribution<std::size_t> pick(0, moves.size() - 1);
            game.apply(moves[pick(random)]);
            ++plies;
        }
        for (int seat = 0; seat < PLAYERS; ++seat) points[seat] += game.score(seat);
    }
    const double used = static_cast<double>(std::clock() - started) / CLOCKS_PER_SEC;
    std::printf("%ld %.6f %ld %ld %ld\n", games, used, plies, points[0], points[1]);
}
