/** The links of a node: with which other nodes, which end opens the connection, and when to try again. */
@NullMarked
package io.godwit.cluster.link.contact;

import org.jspecify.annotations.NullMarked;
