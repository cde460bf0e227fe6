/** Packaged brokers as processes that are one cluster. */
@NullMarked
package io.godwit.it.cluster;

import org.jspecify.annotations.NullMarked;
