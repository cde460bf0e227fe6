/**
 * base-kv as a black box: real processes with one store between them, a load of reads and writes, faults out of a seed,
 * and a judgement of what the clients saw.
 */
@NullMarked
package io.godwit.it.kv;

import org.jspecify.annotations.NullMarked;
