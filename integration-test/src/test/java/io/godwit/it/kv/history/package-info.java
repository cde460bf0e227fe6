/**
 * What clients of a register map asked and were answered, and whether one register a key explains it. Knows nothing of
 * how it is stored.
 */
@NullMarked
package io.godwit.it.kv.history;

import org.jspecify.annotations.NullMarked;
