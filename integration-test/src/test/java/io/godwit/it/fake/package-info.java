/**
 * A small broker in memory, and a small cluster. Each can be made to break its promises, one at a time: what the
 * checker must notice.
 */
@NullMarked
package io.godwit.it.fake;

import org.jspecify.annotations.NullMarked;
