/** Files that survive a crash, how damage is found, and what it is. */
@NullMarked
package io.godwit.kv.disk;

import org.jspecify.annotations.NullMarked;
