/** The stored sessions of all nodes, as operators list them. */
@NullMarked
package io.godwit.inbox.client.catalog;

import org.jspecify.annotations.NullMarked;
