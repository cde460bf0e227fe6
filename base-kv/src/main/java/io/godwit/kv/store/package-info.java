/** A store on this node: what it is made of, its files and replicas, the disk below, and how it is. */
@NullMarked
package io.godwit.kv.store;

import org.jspecify.annotations.NullMarked;
