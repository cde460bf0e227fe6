/** The filters of a session: their number, their patterns, and the requests that change them. */
@NullMarked
package io.godwit.mqtt.session.filter;

import org.jspecify.annotations.NullMarked;
