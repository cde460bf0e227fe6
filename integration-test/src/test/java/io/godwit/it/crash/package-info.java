/**
 * What the broker promises, against what it did while it was killed: a load, the history of all packets, and a checker
 * of that history.
 */
@NullMarked
package io.godwit.it.crash;

import org.jspecify.annotations.NullMarked;
