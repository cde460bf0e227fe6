/** Tests of the packaged broker as a process, under real clients. */
@NullMarked
package io.godwit.it;

import org.jspecify.annotations.NullMarked;
