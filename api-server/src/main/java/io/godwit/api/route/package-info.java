/** From a request to the port that answers it. */
@NullMarked
package io.godwit.api.route;

import org.jspecify.annotations.NullMarked;
