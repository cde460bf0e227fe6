/**
 * Version 1 of the messages between nodes: layouts from before protobuf, as messages of {@code node_protocol.proto} and
 * back. Only for nodes of builds up to the tag {@code cluster-1} and the days after it, during a rolling upgrade; they
 * announce no version ({@link io.godwit.kv.protocol.NodeProtocol}).
 *
 * <p>Nothing here changes any more. To drop it, delete this package, {@code NodeProtocol.BEFORE_PROTOBUF} and what the
 * compiler then reports (a constant in each {@code QuestionForm}, {@code CallForm} and {@code SnapshotForm}), and set
 * {@code NodeProtocol.LEAST_VERSION} to 2.
 */
@NullMarked
package io.godwit.kv.protocol.legacy;

import org.jspecify.annotations.NullMarked;
