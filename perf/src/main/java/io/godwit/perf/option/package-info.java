/** Options that several commands share, and the values they are made of. */
@NullMarked
package io.godwit.perf.option;

import org.jspecify.annotations.NullMarked;
