/** Who a connection or a session belongs to. */
@NullMarked
package io.godwit.plugin.client;

import org.jspecify.annotations.NullMarked;
