/** Topic filters of rules, with the names of clients in them. Uses plugin-api alone. */
@NullMarked
package io.godwit.broker.auth.filter;

import org.jspecify.annotations.NullMarked;
