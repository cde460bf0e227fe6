/**
 * The process under test: a store of registers, reached over a line protocol. Everything that knows base-kv is in
 * {@code NodeUnderTest}.
 */
@NullMarked
package io.godwit.it.kv.node;

import org.jspecify.annotations.NullMarked;
