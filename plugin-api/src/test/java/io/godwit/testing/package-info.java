/** Waiting, and comparing with recordings, in the tests of all modules. */
@NullMarked
package io.godwit.testing;

import org.jspecify.annotations.NullMarked;
