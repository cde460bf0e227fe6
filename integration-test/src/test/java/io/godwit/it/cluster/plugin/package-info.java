/** Plugins of packaged brokers that are one cluster: of each kind, faulty ones, and new versions of a jar. */
@NullMarked
package io.godwit.it.cluster.plugin;

import org.jspecify.annotations.NullMarked;
