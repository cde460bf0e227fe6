/** The encoding of numbers that stored formats of several modules share ({@code Varint}). */
@NullMarked
package io.godwit.common.bytes;

import org.jspecify.annotations.NullMarked;
