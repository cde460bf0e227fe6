/** The changes of a range, one file for each: split, merge, change of members, hand-over of the leadership. */
@NullMarked
package io.godwit.kv.range.change;

import org.jspecify.annotations.NullMarked;
