/** How tests of all modules wait, and how they compare with what was recorded. */
@NullMarked
package io.godwit.testing;

import org.jspecify.annotations.NullMarked;
