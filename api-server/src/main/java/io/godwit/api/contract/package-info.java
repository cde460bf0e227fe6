/** The API's document, and checks of requests and answers against it. */
@NullMarked
package io.godwit.api.contract;

import org.jspecify.annotations.NullMarked;
