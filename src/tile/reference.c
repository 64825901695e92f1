/* SPDX-License-Identifier: Apache-2.0 */
/* Placeholder executor: scalar interpretation. */
#include "tile/tile.h"
#include <math.h>
#include <string.h>

struct executor_code { const jg_executor *executor; jg_program program; program_space space_head; };
typedef struct code { executor_code head; program_space *space; } code;
typedef struct num { jg_dtype_kind kind; jg_scalar v; } num;

static double f(num n) { return n.kind == JG_KIND_FLOAT ? n.v.f64 : n.kind == JG_KIND_UINT ? (double)n.v.u64 : n.kind == JG_KIND_COMPLEX ? n.v.complex_parts[0] : (double)n.v.i64; }
static num get(const void *p, jg_dtype d) { num n; n.kind = scalar_load(p, d, &n.v); return n; }
static num rnd(num n, jg_dtype to)
{
    jg_scalar raw = {0};
    jg_dtype_kind k = (jg_dtype_kind)dtype_rows[to].kind;
    num m = n;
    if (k == JG_KIND_BOOL) { m.v.i64 = f(n) != 0; m.kind = JG_KIND_BOOL; }
    else if (k == JG_KIND_INT || k == JG_KIND_UINT) { if (n.kind == JG_KIND_FLOAT || n.kind == JG_KIND_COMPLEX) m.v.i64 = (int64_t)f(n); m.kind = JG_KIND_INT; }
    else if (k == JG_KIND_FLOAT) { m.v.f64 = f(n); m.kind = JG_KIND_FLOAT; }
    else if (n.kind != JG_KIND_COMPLEX) { double x = f(n); m.v.complex_parts[0] = x; m.v.complex_parts[1] = 0; m.kind = JG_KIND_COMPLEX; }
    scalar_store(m.v, m.kind, to, &raw);
    return get(&raw, to);
}
static num op2(int op, num a, num b, jg_dtype t)
{
    num r = a;
    jg_dtype_kind k = (jg_dtype_kind)dtype_rows[t].kind;
    if (op >= PROGRAM_LESS && op <= PROGRAM_NOT_EQUAL) {
        bool v; 
        if (k == JG_KIND_COMPLEX) { bool e = a.v.complex_parts[0] == b.v.complex_parts[0] && a.v.complex_parts[1] == b.v.complex_parts[1]; v = (op == PROGRAM_EQUAL) == e; }
        else if (k == JG_KIND_FLOAT) v = op == PROGRAM_LESS ? a.v.f64 < b.v.f64 : op == PROGRAM_LESS_EQUAL ? a.v.f64 <= b.v.f64 : op == PROGRAM_EQUAL ? a.v.f64 == b.v.f64 : a.v.f64 != b.v.f64;
        else if (k == JG_KIND_UINT) v = op == PROGRAM_LESS ? a.v.u64 < b.v.u64 : op == PROGRAM_LESS_EQUAL ? a.v.u64 <= b.v.u64 : op == PROGRAM_EQUAL ? a.v.u64 == b.v.u64 : a.v.u64 != b.v.u64;
        else v = op == PROGRAM_LESS ? a.v.i64 < b.v.i64 : op == PROGRAM_LESS_EQUAL ? a.v.i64 <= b.v.i64 : op == PROGRAM_EQUAL ? a.v.i64 == b.v.i64 : a.v.i64 != b.v.i64;
        return (num){JG_KIND_BOOL, {.i64 = v}};
    }
    if (k == JG_KIND_FLOAT) {
        double x = a.v.f64, y = b.v.f64, z = 0;
        switch (op) { case PROGRAM_ADD: z = x + y; break; case PROGRAM_SUBTRACT: z = x - y; break; case PROGRAM_MULTIPLY: z = x * y; break; case PROGRAM_DIVIDE: z = x / y; break; case PROGRAM_FLOOR_DIVIDE: z = floor(x / y); break; case PROGRAM_REMAINDER: z = fmod(x, y); if (z != 0 && (z < 0) != (y < 0)) z += y; break; case PROGRAM_POWER: z = pow(x, y); break; case PROGRAM_MAXIMUM: z = x != x || x > y ? x : y; break; case PROGRAM_MINIMUM: z = x != x || x < y ? x : y; break; default: break; }
        r.v.f64 = z; return r;
    }
    if (k == JG_KIND_COMPLEX) {
        double _Complex x = *(double _Complex *)a.v.complex_parts, y = *(double _Complex *)b.v.complex_parts, z = 0;
        switch (op) { case PROGRAM_ADD: z = x + y; break; case PROGRAM_SUBTRACT: z = x - y; break; case PROGRAM_MULTIPLY: z = x * y; break; case PROGRAM_DIVIDE: z = x / y; break; default: break; }
        memcpy(r.v.complex_parts, &z, sizeof z); return r;
    }
    uint64_t x = a.v.u64, y = b.v.u64, z = 0; int64_t sx = a.v.i64, sy = b.v.i64; bool u = k == JG_KIND_UINT, bo = k == JG_KIND_BOOL;
    switch (op) { case PROGRAM_ADD: z = bo ? x | y : x + y; break; case PROGRAM_SUBTRACT: z = x - y; break; case PROGRAM_MULTIPLY: z = bo ? x & y : x * y; break;
    case PROGRAM_FLOOR_DIVIDE: z = y == 0 ? 0 : u ? x / y : sy == -1 ? 0 - x : (uint64_t)(sx / sy - ((sx % sy != 0) && ((sx < 0) != (sy < 0)))); break;
    case PROGRAM_REMAINDER: z = y == 0 ? 0 : u ? x % y : sy == -1 ? 0 : (uint64_t)((sx % sy + sy) % sy); break;
    case PROGRAM_POWER: z = 1; if (!u && sy < 0) z = sx == 1 ? 1 : sx == -1 ? (sy & 1 ? (uint64_t)-1 : 1) : 0; else for (uint64_t i = 0, base = x, e = y; e; e >>= 1, base *= base, ++i) if (e & 1) z *= base; break;
    case PROGRAM_MAXIMUM: z = u ? (x > y ? x : y) : (uint64_t)(sx > sy ? sx : sy); break; case PROGRAM_MINIMUM: z = u ? (x < y ? x : y) : (uint64_t)(sx < sy ? sx : sy); break;
    case PROGRAM_AND: z = x & y; break; case PROGRAM_OR: z = x | y; break; case PROGRAM_XOR: z = x ^ y; break;
    case PROGRAM_SHIFT_LEFT: z = y < dtype_rows[t].bits ? x << y : 0; break; case PROGRAM_SHIFT_RIGHT: z = u ? (y < 64 ? x >> y : 0) : (uint64_t)(sx >> (y < 63 ? y : 63)); break; default: break; }
    r.v.u64 = z; return r;
}
static num op1(int op, num a, jg_dtype t)
{
    num r = a; jg_dtype_kind k = (jg_dtype_kind)dtype_rows[t].kind;
    if (k == JG_KIND_FLOAT) { double x = a.v.f64; r.v.f64 = op == PROGRAM_NEGATE ? -x : op == PROGRAM_ABS ? fabs(x) : op == PROGRAM_FLOOR ? floor(x) : op == PROGRAM_SQRT ? sqrt(x) : op == PROGRAM_EXP ? exp(x) : op == PROGRAM_LOG ? log(x) : op == PROGRAM_TANH ? tanh(x) : x; }
    else if (k == JG_KIND_COMPLEX) { if (op == PROGRAM_NEGATE) { r.v.complex_parts[0] *= -1; r.v.complex_parts[1] *= -1; } }
    else { if (op == PROGRAM_NEGATE) r.v.u64 = 0 - a.v.u64; if (op == PROGRAM_ABS && k == JG_KIND_INT && a.v.i64 < 0) r.v.u64 = 0 - a.v.u64; if (op == PROGRAM_NOT) r.v.u64 = k == JG_KIND_BOOL ? !a.v.u64 : ~a.v.u64; }
    return r;
}
static bool accepts(const jg_program *p) { (void)p; return true; }
static jg_status prepare(const jg_program *p, const program_space *s, executor_code **out)
{
    code *c = base_alloc(sizeof *c);
    size_t n = sizeof *s + (size_t)(s->nbuffers * s->ndim) * sizeof(int64_t);
    c->head.executor = &tile_executor; c->head.program = *p; c->space = base_alloc(n);
    memcpy(c->space, s, n);
    *out = &c->head; return JG_OK;
}
static int64_t units(const executor_code *e) { (void)e; return 1; }
static void run(const executor_code *e, void *const *ad, const jg_scalar *sc, int64_t first, int64_t last)
{
    const code *c = (const code *)e; const program_space *s = c->space; const jg_program *p = &e->program;
    int64_t idx[JG_MAX_NDIM] = {0}; int kept = s->ndim - s->nreduced; num v[PROGRAM_MAX_INSTS]; num acc = {0}; bool started = false;
    (void)first; (void)last;
    for (int d = 0; d < kept; ++d) if (s->extents[d] == 0) return;
    bool empty = false; for (int d = kept; d < s->ndim; ++d) empty |= s->extents[d] == 0;
    for (;;) {
        bool lastred = true; for (int d = kept; d < s->ndim; ++d) lastred &= idx[d] == s->extents[d] - 1;
        for (int i = 0; i < p->ninsts; ++i) {
            const program_inst *in = &p->insts[i]; int64_t off = 0; num r = {0};
            if (in->op == PROGRAM_LOAD || in->op == PROGRAM_INDEX || in->op == PROGRAM_STORE) for (int d = 0; d < s->ndim; ++d) off += idx[d] * s->strides[in->buffer * s->ndim + d];
            if (empty && in->op != PROGRAM_STORE && !(in->op >= PROGRAM_REDUCE_ADD && in->op <= PROGRAM_REDUCE_MINIMUM)) continue;
            switch (in->op) {
            case PROGRAM_LOAD: r = get((char *)ad[in->buffer] + off, (jg_dtype)in->to); break;
            case PROGRAM_INDEX: r = (num){JG_KIND_INT, {.i64 = (int64_t)(intptr_t)ad[in->buffer] + off}}; break;
            case PROGRAM_SCALAR: r = get(&sc[in->buffer], (jg_dtype)in->to); break;
            case PROGRAM_CAST: r = rnd(v[in->src[0]], (jg_dtype)in->to); break;
            case PROGRAM_SELECT: r = v[in->src[0]].v.i64 ? v[in->src[1]] : v[in->src[2]]; break;
            case PROGRAM_STORE: if (p->reduces && !(lastred || empty)) break; { jg_scalar raw = {0}; num x = v[in->src[0]]; scalar_store(x.v, x.kind, (jg_dtype)in->to, &raw); memcpy((char *)ad[in->buffer] + off, &raw, dtype_itemsize((jg_dtype)in->to)); } break;
            case PROGRAM_REDUCE_ADD: case PROGRAM_REDUCE_MAXIMUM: case PROGRAM_REDUCE_MINIMUM:
                if (empty) { num z = {(jg_dtype_kind)dtype_rows[in->to].kind, {{0}}}; r = z; break; }
                acc = started ? op2(in->op == PROGRAM_REDUCE_ADD ? PROGRAM_ADD : in->op == PROGRAM_REDUCE_MAXIMUM ? PROGRAM_MAXIMUM : PROGRAM_MINIMUM, acc, v[in->src[0]], (jg_dtype)in->type) : v[in->src[0]];
                started = !lastred; r = acc; break;
            default: r = program_inst_rows[in->op].arity == 2 ? op2(in->op, v[in->src[0]], v[in->src[1]], (jg_dtype)in->type) : op1(in->op, v[in->src[0]], (jg_dtype)in->type);
            }
            v[i] = (in->op >= PROGRAM_NEGATE && in->op < PROGRAM_REDUCE_ADD && in->op != PROGRAM_SELECT && program_inst_rows[in->op].result != RESULT_BOOL) ? rnd(r, (jg_dtype)in->to) : r;
        }
        int d = (empty ? kept : s->ndim) - 1;
        for (; d >= 0; --d) { if (++idx[d] < s->extents[d]) break; idx[d] = 0; }
        if (d < 0) return;
    }
}
static void release(executor_code *e) { base_free(((code *)e)->space); base_free(e); }
const jg_executor tile_executor = {"reference", accepts, prepare, units, run, release};
