/* SPDX-License-Identifier: Apache-2.0 */
/* The Bratu problem u'' + 2 exp(u) = 0, u(0) = u(1) = 0, by Newton's method without matrices.
 *
 * What is solved is written once, as a function of arrays, and compiled: it runs once, and calls
 * build what it did. jg_jvp gives the products of its derivative and a vector that conjugate
 * gradients ask for; jg_vjp gives the transposed products, and shows at the end that both are of
 * one matrix.
 *
 *     cc examples/c/newton.c -o newton $(pkg-config --cflags --libs joggle) */
#include <joggle/joggle.h>
#include <joggle/transform.h>
#include <stdio.h>
#include <stdlib.h>

enum { POINTS = 99, NEWTON_STEPS = 8 };
static const double LAMBDA = 2;

static void check(jg_status status)
{
    if (status == JG_OK)
        return;
    fprintf(stderr, "newton: %s\n", jg_error_message());
    exit(1);
}

/* Takes both operands; the result is the caller's. */
typedef jg_status binary(jg_array *, jg_array *, jg_array **);
static jg_array *apply(binary *op, jg_array *a, jg_array *b)
{
    jg_array *out;
    check(op(a, b, &out));
    jg_array_release(a);
    jg_array_release(b);
    return out;
}

static jg_array *number(double value)
{
    jg_array *out;
    check(
        jg_full(JG_DTYPE_FLOAT64, 0, NULL, (jg_number){.kind = JG_KIND_FLOAT, .re = value}, &out));
    return out;
}

/* u at the points that lie `by` further, 0 beyond the ends. */
static jg_array *shifted(jg_array *u, int by)
{
    const int64_t widths[] = {by < 0 ? 1 : 0, by < 0 ? 0 : 1};
    const jg_index slice = {.kind = JG_INDEX_SLICE,
                            .start = by < 0 ? 0 : 1,
                            .has_start = true,
                            .stop = by < 0 ? POINTS : POINTS + 1,
                            .has_stop = true};
    jg_array *padded, *out;
    check(jg_pad(u, 2, widths, "constant", NULL, &padded));
    check(jg_slice(padded, 1, &slice, &out));
    jg_array_release(padded);
    return out;
}

/* -u'' - lambda exp(u) at each point: what is to be zero. */
static jg_status residual(void *context, int ninputs, jg_array *const *inputs, int noutputs,
                          jg_array **outputs)
{
    const double h = 1.0 / (POINTS + 1);
    jg_array *u = inputs[0], *power;
    (void)context, (void)ninputs, (void)noutputs;
    jg_array *sides = apply(jg_add, shifted(u, -1), shifted(u, 1));
    jg_array *twice = apply(jg_multiply, number(2), jg_array_retain(u));
    jg_array *curved = apply(jg_multiply, apply(jg_subtract, twice, sides), number(1 / (h * h)));
    check(jg_exp(u, &power));
    outputs[0] = apply(jg_subtract, curved, apply(jg_multiply, number(LAMBDA), power));
    return JG_OK;
}

static jg_compiled *equation; /* the residual */

static double dot(jg_array *a, jg_array *b)
{
    jg_array *out;
    double value;
    check(jg_vecdot(a, b, -1, &out));
    check(jg_array_copy_to(out, &value, sizeof value));
    jg_array_release(out);
    return value;
}

/* The derivative of the residual at u, times v. */
static jg_array *derivative(jg_array *u, jg_array *v)
{
    jg_array *value, *product;
    check(jg_jvp(jg_compiled_call, equation, 1, &u, &v, 1, &value, &product));
    jg_array_release(value);
    return product;
}

/* a + factor * b; takes a. */
static jg_array *plus(jg_array *a, double factor, jg_array *b)
{
    return apply(jg_add, a, apply(jg_multiply, number(factor), jg_array_retain(b)));
}

/* Conjugate gradients: x with J x = b, where J is the derivative at u. */
static jg_array *solve(jg_array *u, jg_array *b)
{
    jg_array *x = apply(jg_multiply, number(0), jg_array_retain(b));
    jg_array *r = jg_array_retain(b), *p = jg_array_retain(b);
    double now = dot(r, r), goal = 1e-20 * now;
    for (int i = 0; i < 2 * POINTS && now > goal; ++i) {
        jg_array *q = derivative(u, p);
        double step = now / dot(p, q), before = now;
        x = plus(x, step, p);
        r = plus(r, -step, q);
        jg_array_release(q);
        now = dot(r, r);
        p = plus(apply(jg_multiply, number(now / before), p), 1, r);
    }
    jg_array_release(r);
    jg_array_release(p);
    return x;
}

/* <J v, w> and <v, J' w>, which are equal. */
static void compare_products(jg_array *u, jg_array *v, jg_array *w)
{
    jg_array *value, *transposed, *product = derivative(u, v);
    jg_pullback *pullback;
    check(jg_vjp(jg_compiled_call, equation, 1, &u, 1, &value, &pullback));
    check(jg_pullback_apply(pullback, &w, &transposed));
    double forward = dot(product, w), backward = dot(v, transposed);
    printf("<J v, w> = %.12g, <v, J' w> = %.12g\n", forward, backward);
    double difference = forward - backward;
    if (difference * difference > 1e-18 * forward * forward)
        exit(1);
    jg_pullback_release(pullback);
    jg_array_release(value);
    jg_array_release(transposed);
    jg_array_release(product);
}

int main(void)
{
    const int64_t shape[] = {POINTS};
    jg_array *u, *largest;
    double size = 0, middle;
    check(jg_full(JG_DTYPE_FLOAT64, 1, shape, (jg_number){.kind = JG_KIND_FLOAT}, &u));
    check(jg_compile("residual", residual, NULL, NULL, &equation));
    for (int i = 0; i < NEWTON_STEPS; ++i) {
        jg_array *f, *change;
        check(jg_compiled_call(equation, 1, &u, 1, &f));
        size = dot(f, f);
        printf("step %d: squared residual %.3e\n", i, size);
        if (size < 1e-16)
            i = NEWTON_STEPS;
        change = solve(u, f);
        u = plus(u, -1, change);
        check(jg_eval(1, &u));
        if (i == NEWTON_STEPS)
            compare_products(u, change, f);
        jg_array_release(change);
        jg_array_release(f);
    }
    check(jg_max(u, -1, NULL, false, &largest));
    check(jg_array_copy_to(largest, &middle, sizeof middle));
    jg_array_release(largest);
    jg_array_release(u);
    printf("the residual was recorded %d times\n", jg_compiled_nrecords(equation));
    jg_compiled_release(equation);
    /* The exact solution's largest value is 2 log cosh(t / 2) with t = 2 cosh(t / 2). */
    printf("largest u: %.5f, exact 0.32895\n", middle);
    return size < 1e-16 && middle > 0.3288 && middle < 0.3291 ? 0 : 1;
}
