"""Infrastructure: a stack for CloudFormation, requests for the AWS CLI, a model for Workbench."""
