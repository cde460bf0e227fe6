/** Files that survive a crash, and the detection of damaged ones. */
@NullMarked
package io.godwit.kv.disk;

import org.jspecify.annotations.NullMarked;
