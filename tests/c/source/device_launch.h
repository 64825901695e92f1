/* SPDX-License-Identifier: Apache-2.0 */
/* A launch of the tiles' tests run on a device as well: what the device writes is compared with
 * what the tiles write, over every byte. */
#ifndef SOURCE_DEVICE_LAUNCH_H
#define SOURCE_DEVICE_LAUNCH_H

#include "opencl.h"

#include "../tile/random_programs.h"

/* Elements before the first one in each buffer of the device: an odd number is no multiple of 16
 * bytes. */
static int lead;

static inline void *device_buffer(const launch *l, int b, int64_t *offset)
{
    size_t itemsize = dtype_itemsize((jg_dtype)l->program.buffers[b].dtype);
    size_t before = (size_t)lead * itemsize;
    void *buffer = opencl_buffer(before + l->nbytes[b]);
    opencl_write(buffer, before, l->copies[b], l->nbytes[b]);
    *offset = (int64_t)before + ((char *)l->copy_addresses[b] - l->copies[b]);
    return buffer;
}

/* Full of NaN and of numbers that no sum could hide: what no kernel has set shows in the
 * results. */
static inline void *device_scratch(size_t nbytes)
{
    void *buffer = opencl_buffer(nbytes), *bytes = malloc(nbytes + 1);
    memset(bytes, 0x7f, nbytes);
    memset(bytes, 0xff, nbytes / 2);
    opencl_write(buffer, 0, bytes, nbytes);
    free(bytes);
    return buffer;
}

static inline void run_launch(const launch *l, const opencl_code *code, device_launch *started)
{
    void *buffers[PROGRAM_MAX_BUFFERS] = {0};
    int64_t offsets[PROGRAM_MAX_BUFFERS];
    void *scratch = device_scratch(started->scratch_nbytes);
    for (int b = 0; b < l->program.nbuffers; ++b) {
        if (l->program.buffers[b].role == PROGRAM_ROLE_INDEX)
            offsets[b] = (int64_t)(intptr_t)l->addresses[b];
        else
            buffers[b] = device_buffer(l, b, &offsets[b]);
    }
    device_launch_bind(started, code->entry, offsets, l->scalars);
    opencl_start(code, started, buffers, scratch);
    for (int b = 0; b < l->program.nbuffers; ++b) {
        size_t before = (size_t)lead * dtype_itemsize((jg_dtype)l->program.buffers[b].dtype);
        if (buffers[b] == NULL)
            continue;
        if (l->program.buffers[b].role == PROGRAM_ROLE_WRITE)
            opencl_read(buffers[b], before, l->copies[b], l->nbytes[b]);
        opencl_must(opencl.driver.finish(opencl.queue), "clFinish");
        opencl.driver.release_buffer(buffers[b]);
    }
    opencl.driver.release_buffer(scratch);
}

/* Runs the launch on the device, into its copies. */
static inline void launch_on_device(launch *l, const device_facts *facts)
{
    device_unit *unit;
    device_launch *started;
    device_work work = {.program = &l->program, .space = l->space};
    must(source_printer.print(facts, 1, &work, &unit));
    void *program = opencl_build(unit);
    opencl_code code = opencl_code_of(program, &unit->entries[0]);
    must(source_printer.arrange(unit, 0, &work, lead == 0, &started));
    run_launch(l, &code, started);
    base_free(started);
    opencl_discard(&code);
    opencl.driver.release_program(program);
    source_printer.release(unit);
}

/* Tiles and the device, on the same operands. */
static inline void launch_compare_device(launch *l, const device_facts *facts, uint64_t from,
                                         bool whole_numbers, double ulps)
{
    launch_alloc(l, from, whole_numbers);
    launch_tile(l, true);
    launch_on_device(l, facts);
    launch_compare(l, ulps);
    for (int b = 0; b < l->program.nbuffers; ++b) {
        free(l->memory[b]);
        free(l->copies[b]);
        l->memory[b] = l->copies[b] = NULL;
    }
}

/* The device's facts for one shape of work. */
static inline device_facts facts_of(device_shape shape)
{
    device_facts facts = opencl.facts;
    facts.shape = (uint8_t)shape;
    return facts;
}

#endif
