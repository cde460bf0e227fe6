/** Takes away what a process wrote and did not fsync, as a power loss would, and looks at what it had promised. */
@NullMarked
package io.godwit.it.powerloss;

import org.jspecify.annotations.NullMarked;
