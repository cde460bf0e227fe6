/** Checks that the pages of documentation say what is true of the broker. */
@NullMarked
package io.godwit.broker.page;

import org.jspecify.annotations.NullMarked;
