/**
 * What a client may rely on, clause by clause, against one packaged broker that all classes share: each test uses
 * client ids and topics of its own. Packets are made and read by {@code io.godwit.it.wire} or written as bytes, never
 * by the broker's codec.
 */
@NullMarked
package io.godwit.it.conformance;

import org.jspecify.annotations.NullMarked;
