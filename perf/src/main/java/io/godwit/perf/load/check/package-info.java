/** What messages carry so that a lost, repeated or overtaken one is noticed, and who notices. */
@NullMarked
package io.godwit.perf.load.check;

import org.jspecify.annotations.NullMarked;
