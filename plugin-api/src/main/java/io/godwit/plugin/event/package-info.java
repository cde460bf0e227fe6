/** Events of the broker: every drop and life-cycle step as a value. */
@NullMarked
package io.godwit.plugin.event;

import org.jspecify.annotations.NullMarked;
