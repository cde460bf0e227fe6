/** A store on this node: its specification, files, replicas, disk and health. */
@NullMarked
package io.godwit.kv.store;

import org.jspecify.annotations.NullMarked;
