/** What is done to a range, a file for each: split, merge, change of members, hand-over of the leadership. */
@NullMarked
package io.godwit.kv.range.change;

import org.jspecify.annotations.NullMarked;
