// Shows the document of this API. Nothing is loaded from elsewhere: no validator, no fonts.
SwaggerUIBundle({
  url: '/api/v1/openapi.yaml',
  dom_id: '#document',
  validatorUrl: null,
  deepLinking: true,
  persistAuthorization: false,
});
