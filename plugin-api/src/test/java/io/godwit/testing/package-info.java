/** How tests of all modules wait. */
@NullMarked
package io.godwit.testing;

import org.jspecify.annotations.NullMarked;
