/** Handlers of the dashboard, the API's document and its page. */
@NullMarked
package io.godwit.api.route.page;

import org.jspecify.annotations.NullMarked;
