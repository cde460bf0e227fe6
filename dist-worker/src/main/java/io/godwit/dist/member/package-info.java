/** The nodes that serve MQTT together, and whether this one may acknowledge. */
@NullMarked
package io.godwit.dist.member;

import org.jspecify.annotations.NullMarked;
