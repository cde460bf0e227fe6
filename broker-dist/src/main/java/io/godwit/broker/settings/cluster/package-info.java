/** The settings of a cluster: how nodes reach each other, and when a client is sent to another node. */
@NullMarked
package io.godwit.broker.settings.cluster;

import org.jspecify.annotations.NullMarked;
